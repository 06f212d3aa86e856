/**
 * Spreads the genesis state over the first batches, one log each, so that no later batch has to compact all of it.
 *
 * A marker file exists until the journal does. After a crash in between, the next opening starts again.
 */
import type { Disk } from '@slipstream/ports';
import type { Write } from '../batch.ts';
import type { Committed } from '../committed/committed.ts';
import { fold } from '../committed/fold.ts';
import { createJournal, type Journal, type JournalPlace } from '../journal/journal.ts';
import { fileOfLogName } from '../log/format.ts';
import type { LogFiles } from '../log/log-files.ts';
import type { Chain } from '../parameters.ts';
import { prepareBatch } from '../prepare/prepare.ts';
import type { Cut } from '../store.ts';

export const GENESIS_MARKER = 'genesis-unfinished';

/** At most one batch per log. */
const ENTRIES_PER_BATCH = 256;

/** Removes logs that no journal covers. */
export async function removeUnfinished(
  disk: Disk,
  directory: string,
  names: readonly string[],
): Promise<readonly Cut[]> {
  const cut: Cut[] = [];
  for (const name of names.filter((each) => fileOfLogName(each) !== undefined)) {
    const file = `${directory}/${name}`;
    cut.push({ file, offset: 0, bytes: (await disk.size(file)) ?? 0, reason: 'unfinished-genesis' });
    await disk.remove(file);
  }
  return cut;
}

function* batchesOf(entries: Iterable<Write>, history: number): Generator<readonly Write[]> {
  let count = 0;
  for (const _ of entries) count += 1;
  const batches = Math.min(history + 1, Math.max(1, Math.ceil(count / ENTRIES_PER_BATCH)));
  const iterator = entries[Symbol.iterator]();
  for (let i = 0; i < batches; i++) {
    const size = Math.floor((count * (i + 1)) / batches) - Math.floor((count * i) / batches);
    const batch: Write[] = [];
    for (let j = 0; j < size; j++) batch.push(iterator.next().value as Write);
    yield batch;
  }
}

/** Writes the genesis state into an empty folder. The journal begins at its last batch. */
export async function createGenesis(
  chain: Chain,
  committed: Committed,
  files: LogFiles,
  place: JournalPlace,
  genesis: { readonly block: string; readonly entries: Iterable<Write> },
): Promise<Journal> {
  const { disk, directory } = place;
  const marker = `${directory}/${GENESIS_MARKER}`;
  const marked = await disk.open(marker, { create: true });
  await marked.sync();
  await marked.close();
  await disk.syncDirectory(directory);
  for (const batch of batchesOf(genesis.entries, chain.parameters.history)) {
    const overlay = prepareBatch(chain, committed, undefined, genesis.block, batch);
    await files.write(overlay, { syncNames: false });
    fold(committed, overlay);
    committed.recycler.giveBack(overlay);
  }
  await disk.syncDirectory(directory);
  const { batch, checksum, block } = committed.tip;
  const { file, bytes } = committed.logs;
  const slot = batch % (chain.parameters.history + 1);
  const entry = { batch, checksum, block, file: file[slot] as number, end: bytes[slot] as number };
  const journal = await createJournal(place, entry);
  await disk.remove(marker);
  return journal;
}

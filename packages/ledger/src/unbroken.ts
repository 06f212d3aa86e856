/**
 * Checks that no committed block is missing where damage could leave a gap.
 *
 * LevelDB opens a log with a flipped bit without an error and skips the rest of that 32 KiB block, so blocks below the tip may be missing.
 * A power loss leaves no such gap, because each commit is synced before the next.
 */
import { readTip } from './chain-reads.ts';
import { keyOf, readUint64be, tableEnd, uint64be } from './keys.ts';
import { corrupt, type SealedStore } from './sealed-store.ts';

/** The log holds at most two write buffers of 8 MiB (apps/node, key-value.ts); a block writes at least 664 bytes. */
const CHECKED_MAX = 26_000;
const STEP = 512;

/** Throws LedgerError `corrupt` with the first missing height or block. Changes nothing. */
export async function checkUnbroken(store: SealedStore): Promise<void> {
  const tip = await readTip(store);
  if (tip === undefined) {
    const [stray] = await store.range({ from: keyOf('height'), to: tableEnd('height'), limit: 1 });
    if (stray !== undefined) throw corrupt(stray.key, 'a committed block, though there is no tip');
    return;
  }
  const end = tip.height + 1;
  for (let from = Math.max(tip.earliestHeight, end - CHECKED_MAX); from < end; from += STEP) {
    await checkHeights(store, from, Math.min(end, from + STEP));
  }
}

async function checkHeights(store: SealedStore, from: number, to: number): Promise<void> {
  const bounds = { from: keyOf('height', uint64be(from)), to: keyOf('height', uint64be(to)), limit: to - from };
  const entries = await store.range(bounds);
  for (let at = from; at < to; at++) {
    const entry = entries[at - from];
    if (entry === undefined || readUint64be(entry.key, 1) !== at) {
      throw corrupt(keyOf('height', uint64be(at)), 'a committed block that is missing');
    }
  }
  const keys = entries.map(({ value }) => keyOf('block', value));
  const missing = (await store.getMany(keys)).indexOf(undefined);
  if (missing !== -1) throw corrupt(keys[missing] as Uint8Array, 'a committed block that is missing');
}

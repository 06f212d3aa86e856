/**
 * Bench: what a transaction's and a row's writes cost from execution to the index. `npx node packages/execution/bench/state-writes.ts`
 *
 *   decode --> execute --> prepare --> append, commit, fold
 *
 * Processor time of all threads, the collector's too. Blocks of plain transfers among 10,000 accounts, then blocks of rows among 100,000
 * registered ones, on a store in a temporary folder.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlockBatch } from '@slipstream/distilled';
import { createDisk, nextTurn } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { assert, sha256, toHex, uint32le, utf8 } from '@slipstream/primitives';
import { openStateStore, type StateStore } from '@slipstream/state';
import { decodeTransaction, type PreparedTransaction } from '@slipstream/types';
import { directoryEntries } from '../src/directory/directory.ts';
import { encodeHead } from '../src/directory/head.ts';
import {
  accountStateKey,
  createBlockMemory,
  encodeAccount,
  encodeRegistration,
  entryKey,
  epochEntries,
  executeBlock,
} from '../src/index.ts';
import { account, GENESIS_HASH, genesis, NOW_MS, transaction, transfer } from '../test/builders.ts';
import { batchOf, row } from '../test/distilled-builders.ts';

const TRANSFERS = { accounts: 10_000, each: 800, blocks: 300 };
const ROWS = { accounts: 100_000, each: 5_000, blocks: 60 };
const RICH = 10n ** 12n;
const BOUNDS = { accountsMax: 1_000_000, rowsPerBlock: 65_536, registrationsPerBlock: 64 };

interface Content {
  readonly transactions: readonly Uint8Array[];
  readonly batches: readonly BlockBatch[];
}

const cpuUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

function* decoded(transactions: readonly Uint8Array[]): Generator<PreparedTransaction, void> {
  for (const bytes of transactions) yield { ...decodeTransaction(bytes), signatureValid: true };
}

/** Executes and commits blocks. Returns microseconds of the second half. */
async function run(store: StateStore, blocks: readonly Content[]): Promise<number> {
  const memory = createBlockMemory(new Uint8Array(8).fill(1));
  let us = 0;
  for (const [at, { transactions, batches }] of blocks.entries()) {
    const height = at + 1;
    const block = toHex(sha256(uint32le(height)));
    const { get: read, copy } = store.view(store.tip.block);
    const startUs = cpuUs();
    const executed = executeBlock({
      genesisHash: GENESIS_HASH,
      epoch: 0,
      view: height,
      parentView: at,
      height,
      timestampMs: NOW_MS,
      proposer: 0,
      chunks: [{ epoch: 0, producer: 0, transactions: { [Symbol.iterator]: () => decoded(transactions) }, batches }],
      read,
      copy,
      memory,
      seen: () => false,
    });
    store.prepare(store.tip.block, block, executed.batch);
    await store.append(block);
    await store.commit(block);
    await store.stats();
    if (height > blocks.length / 2) us += cpuUs() - startUs;
    assert(executed.skipped.length === 0, 'nothing is skipped');
  }
  return us;
}

async function measure(
  name: string,
  { accounts, each, blocks }: typeof ROWS,
  contentOf: (block: number) => Content,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-state-writes-'));
  const { store } = await openStateStore(
    { disk: createDisk({ root: folder }), telemetry: silentTelemetry, pause: nextTurn },
    {
      directory: 'state',
      genesisHash: GENESIS_HASH,
      genesisBlock: 'genesis',
      genesisBatch: [...epochEntries(genesis({})), ...directoryOf(accounts)],
    },
  );
  // Made before the clock starts.
  const us = await run(
    store,
    Array.from({ length: blocks }, (_, block) => contentOf(block)),
  );
  console.log(`${name}: ${(us / (each * (blocks / 2))).toFixed(2)} us`);
  await store.close();
  await rm(folder, { recursive: true });
}

/** Accounts by number, registered under their numbers. The hashes of the frontier do not matter here. */
function directoryOf(count: number) {
  const [, bounds] = directoryEntries(BOUNDS);
  const hashes = [...count.toString(2)].flatMap((bit) => (bit === '1' ? [new Uint8Array(32)] : []));
  const head = encodeHead({ frontier: { size: count, hashes }, root: new Uint8Array(32), height: 0, registrations: 0 });
  const entries = Array.from({ length: count }, (_, index) => [
    {
      key: accountStateKey(account(index)).bytes,
      value: encodeAccount({ balance: RICH, registration: { index, last: 0, mask: 0n } }),
    },
    {
      key: entryKey(index).bytes,
      value: encodeRegistration({ account: account(index), blsKey: new Uint8Array(96), height: 0 }),
    },
  ]);
  return [bounds, { key: utf8('sdirectory'), value: head }, ...entries.flat()].filter((entry) => entry !== undefined);
}

const pick = (count: number, ...factors: readonly [number, number][]): number =>
  factors.reduce((sum, [number, factor]) => sum + number * factor, 0) % count;

await measure('a transfer', TRANSFERS, (block) => ({
  transactions: Array.from({ length: TRANSFERS.each }, (_, i) => {
    const number = block * TRANSFERS.each + i;
    const [from, to] = [pick(TRANSFERS.accounts, [number, 7_919]), pick(TRANSFERS.accounts, [number, 104_729], [1, 1])];
    return transaction({ from, actions: [transfer(to, 1n)] }).bytes;
  }),
  batches: [],
}));

await measure('a row', ROWS, (block) => {
  const step = ROWS.accounts / ROWS.each;
  const rows = Array.from({ length: ROWS.each }, (_, i) =>
    row((block % step) + step * i, pick(ROWS.accounts, [block, 7_919], [i, 104_729]), 1_000 + i, block + 1),
  );
  return { transactions: [], batches: [batchOf(rows, { header: { knownAt: block, number: block } })] };
});

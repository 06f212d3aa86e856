/**
 * What a row of a distilled batch costs, by dimension, measured as transactions are (measure.ts):
 *
 *   bandwidth   bytes on the wire: a chunk with the batches, between two transports
 *   compute     decoded twice, form, key sums, pairings that the batches share, executed on reads that are at hand, its record
 *   read        what execution copies of the state: both accounts, and entries of the directory that the executor does not remember
 *   allocate, write, disk   of the batch of the block
 */
import {
  type BatchClaims,
  checkBatchForm,
  decodeBatch,
  encodeBatchRecord,
  ROW_UNITS,
  type Row,
} from '@slipstream/distilled';
import { type BlockMemory, createBlockMemory, writesOf } from '@slipstream/execution';
import { GENESIS_EPOCH } from '@slipstream/types';
import { checkDistilledClaims } from '../../../packages/crypto/src/native/distilled-check.ts';
import { createBlockOverlay } from '../../../packages/execution/src/overlay.ts';
import { ABSENT, ACCOUNT_KEY_BYTES } from '../../../packages/execution/src/state-keys.ts';
import { commitCost, type Effort, READS, type ReadOnce, type Round, SIGNATURE_REPEATS_MAX } from './measure.ts';
import { pairedUs } from './paired.ts';
import type { MadeBatch, RowsChain } from './rows-chain.ts';
import { least, processorUs } from './timing.ts';
import type { Wire } from './wire.ts';
import { packed, without, writesUs } from './writes.ts';

export interface RowCase {
  readonly name: string;
  /** Part of the senders: each has one row in the block. */
  readonly share: number;
  /** Batches that wait together share pairings. */
  readonly batches: number;
  /** All rows pay one account. */
  readonly isToOne?: boolean;
  /** The executor remembers no entry, as after a start. */
  readonly isUnknown?: boolean;
}

export const ROW_CASES: readonly RowCase[] = [
  { name: 'row', share: 1, batches: 4 },
  { name: 'row to one account', share: 1, batches: 4, isToOne: true },
  { name: 'row of unknown entries', share: 1, batches: 4, isUnknown: true },
  { name: 'row of a small batch', share: 1 / 40, batches: 1 },
];

/** Has one row in a block beside those that are measured. */
const BYSTANDER = 0;
const SMALLEST_AMOUNT = 1_000;
const VALUE_BYTES_MAX = 256;

export async function measureRows(chain: RowsChain, wire: Wire, one: RowCase, effort: Effort): Promise<Round> {
  const { store } = chain;
  const made = batchesOf(chain, one);
  const beside = [chain.batchOf([rowOf(chain, BYSTANDER, BYSTANDER, chain.nextSequence())])];
  const memory = one.isUnknown
    ? () => createBlockMemory(new Uint8Array(8))
    : always(createBlockMemory(new Uint8Array(8)));
  const run = (batches: readonly MadeBatch[], state: CopiedState, of: BlockMemory) =>
    chain.execute([], state.read, { batches: batches.map(({ block }) => block), copy: state.copy, memory: of });
  if (!one.isUnknown) run([...made, ...beside], throughStore(chain), memory());
  const readsOf = (batches: readonly MadeBatch[]) => {
    const state = throughStore(chain);
    run(batches, state, memory());
    return state.reads;
  };
  const reads = readsOf(made);
  const copied = without(
    reads.filter(({ isCopied }) => isCopied),
    readsOf(beside),
  );
  const compute = computeUs(chain, made, () => run(made, atHand(reads), memory()), effort.repeats);
  const some = copied.slice(0, READS);
  const read = await readsUs(chain, some, effort.repeats);
  const all = writesOf(run(made, throughStore(chain), memory()).batch);
  const own = without(all, writesOf(run(beside, throughStore(chain), memory()).batch));
  const withBefore = own.map((write) => ({ ...write, before: store.get(write.key) }));
  const empty = await commitCost(chain, packed(without(all, own)));
  const full = await commitCost(chain, packed(all));
  const write = await writesUs(chain, withBefore, effort.pairs);
  const batches = made.map(({ bytes }) => bytes);
  return {
    count: made.reduce((sum, { batch }) => sum + batch.rows.count, 0),
    empty: { ...empty, bandwidth: await wire.bytesOf({}), compute: 0 },
    full: { ...full, compute, bandwidth: await wire.bytesOf({ batches }) },
    paired: { read: read.map((us) => (us * copied.length) / some.length), write },
    units: ROW_UNITS,
  };
}

const always =
  <T>(value: T) =>
  () =>
    value;

/** Senders take turns between the batches, so each batch has some of all parts of the directory. */
function batchesOf(chain: RowsChain, one: RowCase): readonly MadeBatch[] {
  const sequence = chain.nextSequence();
  const count = Math.max(1, Math.floor(((chain.senders - 1) * one.share) / one.batches));
  return Array.from({ length: one.batches }, (_, nth) => {
    const numbers = Array.from({ length: count }, (_, i) => 1 + nth + i * one.batches);
    return chain.batchOf(numbers.map((number) => rowOf(chain, number, one.isToOne ? 1 : number, sequence)));
  });
}

/** To an account behind its sender, or behind another one. */
function rowOf({ indexOf }: RowsChain, sender: number, behind: number, sequence: number): Row {
  const amount = BigInt(SMALLEST_AMOUNT + sender);
  return { sender: indexOf(sender), recipient: indexOf(behind) + 1, amount, sequence, tag: sender };
}

interface CopiedRead extends ReadOnce {
  readonly isCopied: boolean;
}

interface CopiedState {
  readonly reads: readonly CopiedRead[];
  read(key: Uint8Array): Uint8Array | undefined;
  copy(key: Uint8Array, into: Uint8Array): number;
}

/** Records what is read. */
function throughStore({ store }: RowsChain): CopiedState {
  const reads: CopiedRead[] = [];
  const seen = (key: Uint8Array, isCopied: boolean) => {
    const value = store.get(key);
    reads.push({ key: key.slice(), value, isCopied });
    return value;
  };
  return { reads, read: (key) => seen(key, false), copy: (key, into) => copied(seen(key, true), into) };
}

/** In the order of the recorded ones. */
function atHand(reads: readonly CopiedRead[]): CopiedState {
  let next = 0;
  return { reads, read: () => reads[next++]?.value, copy: (_, into) => copied(reads[next++]?.value, into) };
}

function copied(value: Uint8Array | undefined, into: Uint8Array): number {
  if (value === undefined) return ABSENT;
  into.set(value.length <= into.length ? value : value.subarray(0, into.length));
  return value.length;
}

/** Of all batches, on one node. */
function computeUs(
  { chain, directory }: RowsChain,
  made: readonly MadeBatch[],
  execute: () => ReturnType<RowsChain['execute']>,
  repeats: number,
): number {
  const decodeUs = least(repeats, () => {
    for (const { bytes } of made) decodeBatch(bytes);
  });
  const { genesisHash } = chain;
  let claims: readonly BatchClaims[] = [];
  const formUs = least(repeats, () => {
    claims = made.map(({ batch }) => {
      const form = checkBatchForm(batch, { genesisHash, epoch: GENESIS_EPOCH, directory });
      if (!form.ok) throw new Error(`a batch has no form: ${form.error}`);
      return form.value;
    });
  });
  const aggregates = claims.flatMap(({ aggregate }) => aggregate ?? []);
  let checkUs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < Math.min(repeats, SIGNATURE_REPEATS_MAX); i++) {
    const startUs = processorUs();
    if (!checkDistilledClaims(aggregates, () => {}).valid.every(Boolean)) throw new Error('an aggregate failed');
    checkUs = Math.min(checkUs, processorUs() - startUs);
  }
  let { batches } = execute();
  const executeUs = least(repeats, () => {
    ({ batches } = execute());
  });
  const recordUs = least(repeats, () => {
    for (const each of batches) encodeBatchRecord(each);
  });
  return 2 * decodeUs + formUs + checkUs + executeUs + recordUs;
}

/** As row-accounts.ts reads: entries from the state alone, accounts through the block's overlay. */
async function readsUs({ store }: RowsChain, reads: readonly ReadOnce[], pairs: number): Promise<readonly number[]> {
  const memory = createBlockMemory(new Uint8Array(8));
  const { get, copy } = store.view(store.tip.block);
  const keys = reads.map(({ key }) => ({
    key,
    head: (key[0] as number) | ((key[1] as number) << 8),
    rest: key.subarray(2),
  }));
  const blocks = Math.max(1, Math.ceil(READS / keys.length));
  const value = new Uint8Array(VALUE_BYTES_MAX);
  const blocksUs = (each: typeof keys) => {
    const startUs = processorUs();
    for (let block = 0; block < blocks; block++) {
      const overlay = createBlockOverlay({ read: get, copy }, memory.forNextBlock().keys);
      for (const parts of each) {
        if (parts.key.length === ACCOUNT_KEY_BYTES) overlay.copyAt(overlay.numberOf(parts), parts, value);
        else copy(parts.key, value);
      }
    }
    return (processorUs() - startUs) / blocks;
  };
  return pairedUs(
    pairs,
    () => blocksUs(keys),
    () => blocksUs([]),
  );
}

/**
 * What a transaction of a case costs, by dimension.
 *
 *   bandwidth   bytes on the wire: a chunk with it, between two transports
 *   compute     decoded twice (intake, executor), signatures checked, executed on reads that are at hand, its receipt hashed
 *   read        the block's overlay and the state store read the keys that execution read
 *   allocate    bytes by which the state store's live records grow
 *   write       the state store prepares, appends and commits the batch on one thread, with files in memory; and the bytes on disk; each above
 *               an empty block's
 *
 * Times are of the processor, the least of all rounds, and in verifications of an Ed25519 signature in the same run, since other load slows both.
 */
import { createAuthorityChecks } from '@slipstream/crypto';
import { ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';
import { writesOf } from '@slipstream/execution';
import {
  authorityMessage,
  createCredentialMemory,
  type DecodedTransaction,
  decodeTransaction,
  GENESIS_EPOCH,
  merkleRoot,
  sessionKeyOf,
  type Transaction,
  transactionIdOf,
  UNIT_DIMENSIONS,
  unitsOf,
} from '@slipstream/types';
import { createBlockMemory } from '../../../packages/execution/src/block-memory.ts';
import { createBlockOverlay } from '../../../packages/execution/src/overlay.ts';
import { copyThrough, stateKey } from '../../../packages/execution/src/state-keys.ts';
import { bodyOf, encoded, prepared } from '../../../packages/execution/test/session-world.ts';
import { sessionChainOf } from '../../../packages/types/test/session-chain.ts';
import { BYSTANDER, type Case, PEOPLE } from './cases.ts';
import { type Estimate, estimateOf, pairedUs } from './paired.ts';
import type { Stage } from './stage.ts';
import { least, processorUs } from './timing.ts';
import type { Wire } from './wire.ts';
import type { World } from './world.ts';
import { packed, without, writesUs } from './writes.ts';

/** `write` in processor time, `disk` in bytes: both are the price of the units of write. */
export const COSTS = ['bandwidth', 'compute', 'read', 'allocate', 'write', 'disk'] as const;

/** Of a transaction. */
export type Cost = Readonly<Record<(typeof COSTS)[number], number>>;

export interface Measured {
  readonly cost: Cost;
  /** Bounds of the costs that were measured in pairs, with a confidence of 95 %. */
  readonly bounds?: Readonly<Record<Paired, Pick<Estimate, 'low' | 'high'>>>;
  /** Charged, by UNIT_DIMENSIONS. */
  readonly units: readonly number[];
}

/** Costs of its block, and of what the block costs by itself. */
export interface Round {
  readonly count: number;
  readonly full: Exact;
  readonly empty: Exact;
  /** us of all its transactions, by pairs of work with and without. */
  readonly paired: Readonly<Record<Paired, readonly number[]>>;
  readonly units: readonly number[];
}

/** Below the noise of a block. */
export const PAIRED = ['read', 'write'] as const;
export type Paired = (typeof PAIRED)[number];
type Exact = Omit<Cost, Paired>;

export interface Effort {
  readonly transactions: number;
  /** How many of them are timed in execution: few take so little time that other processes seldom interrupt. */
  readonly timed: number;
  /** Times that a round repeats what changes nothing. */
  readonly repeats: number;
  /** Of batches with and without its writes, in a round. */
  readonly pairs: number;
}

/** Several thousand writes: many, so that what a block costs by itself disappears. */
const BODY_BYTES_MAX = 300_000;
/** A stage takes a millisecond or less. */
const TIMED_BYTES_MAX = 40_000;
/** Their credentials take long to make. */
const CREDENTIALS_MAX = 64;
export const SIGNATURE_REPEATS_MAX = 3;

/** In a pair. */
export const READS = 1000;
const MAX_FEE = 10n ** 9n;

export function measureVerification(checks: number): number {
  const { secret, account } = PEOPLE[0] as (typeof PEOPLE)[number];
  const message = account.bytes;
  const signature = ed25519Sign(message, secret);
  const startUs = processorUs();
  for (let i = 0; i < checks; i++) {
    if (!ed25519Verify(account.bytes, message, signature)) throw new Error('a good signature is good');
  }
  return (processorUs() - startUs) / checks;
}

/** A case's cost per transaction, us and bytes: the least of all rounds, or of pairs the median of all. */
export function costOf(rounds: readonly Round[]): Measured {
  const [{ units, count }] = rounds as readonly [Round];
  const least = (of: (round: Round) => number) => Math.min(...rounds.map(of));
  const exactOf = (name: keyof Exact) =>
    Math.max(0, least(({ full }) => full[name]) - least(({ empty }) => empty[name])) / count;
  const [read, write] = PAIRED.map((name) =>
    estimateOf(rounds.flatMap(({ paired }) => paired[name].map((us) => us / count))),
  ) as [Estimate, Estimate];
  const cost = {
    bandwidth: exactOf('bandwidth'),
    compute: exactOf('compute'),
    read: read.value,
    allocate: exactOf('allocate'),
    write: write.value,
    disk: exactOf('disk'),
  };
  return { cost, bounds: { read, write }, units };
}

export async function measureRound(world: World, wire: Wire, one: Case, effort: Effort): Promise<Round> {
  return measure(world, wire, await transactionsOf(world, one, effort), effort);
}

async function transactionsOf(world: World, one: Case, effort: Effort): Promise<readonly DecodedTransaction[]> {
  const most = one.scheme === undefined ? effort.transactions : Math.min(effort.transactions, CREDENTIALS_MAX);
  const [sample] = await world.transactionsOf(one, 1);
  const bytes = (sample as DecodedTransaction).bytes.length;
  return world.transactionsOf(one, Math.min(most, Math.max(1, Math.floor(BODY_BYTES_MAX / bytes))));
}

export interface ReadOnce {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Their round through a chain on which they were not executed yet. */
export async function measure(
  world: Stage,
  wire: Wire,
  transactions: readonly DecodedTransaction[],
  { repeats, timed, pairs }: Effort,
): Promise<Round> {
  const { store } = world;
  const bytes = transactions[0]?.bytes.length ?? 0;
  const some = transactions.slice(0, Math.min(timed, Math.max(1, Math.floor(TIMED_BYTES_MAX / bytes))));
  const beside = [bystanderOf(world)];
  const reads = readsOf(world, some);
  const compute = await computeUs(world, some, reads, repeats);
  const read = await readsUs(world, without(reads, readsOf(world, beside)), repeats);
  const executed = world.execute(transactions.map(prepared), store.get);
  const count = transactions.length;
  const bounds = transactions.map(({ transaction, bytes }) => unitsOf(transaction, bytes.length));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const all = writesOf(executed.batch);
  const own = without(all, writesOf(world.execute(beside.map(prepared), store.get).batch));
  const withBefore = own.map((write) => ({ ...write, before: store.get(write.key) }));
  const empty = await commitCost(world, packed(without(all, own)));
  const full = await commitCost(world, executed.batch);
  const write = await writesUs(world, withBefore, pairs);
  const scale = count / some.length;
  return {
    count,
    empty: { ...empty, bandwidth: await wire.bytesOf({}), compute: 0 },
    full: {
      ...full,
      compute: compute * scale,
      bandwidth: await wire.bytesOf({ transactions: transactions.map(({ bytes }) => bytes) }),
    },
    paired: { read: read.map((us) => us * scale), write },
    units: UNIT_DIMENSIONS.map((name, i) => {
      const charged = name === 'allocate' ? executed.receipts.map(({ units }) => units) : bounds;
      return mean(charged.map((units) => units[i] as number));
    }),
  };
}

/** Its block has all that a block reads and writes by itself: the proposer gets the fee. */
function bystanderOf({ chain }: Stage): DecodedTransaction {
  const actions = [{ kind: 'transfer', to: BYSTANDER.account, amount: 1n }] as const;
  const body = bodyOf(chain, { sender: BYSTANDER.account, actions, maxFee: MAX_FEE });
  const signature = ed25519Sign(transactionIdOf(body), BYSTANDER.secret);
  return encoded({ body, auth: { scheme: 'ed25519', signature } });
}

/** Those that reach the state. */
function readsOf({ execute, store }: Stage, transactions: readonly DecodedTransaction[]): readonly ReadOnce[] {
  const reads: ReadOnce[] = [];
  execute(transactions.map(prepared), (key) => {
    const value = store.get(key);
    reads.push({ key: key.slice(), value });
    return value;
  });
  return reads;
}

/** Many blocks' worth, since a block without them takes as long. */
async function readsUs({ store }: Stage, reads: readonly ReadOnce[], pairs: number): Promise<readonly number[]> {
  const memory = createBlockMemory(new Uint8Array(8));
  const blocks = Math.ceil(READS / reads.length);
  const blocksUs = (each: readonly ReadOnce[]) => {
    const startUs = processorUs();
    for (let block = 0; block < blocks; block++) {
      const overlay = createBlockOverlay({ read: store.get, copy: copyThrough(store.get) }, memory.forNextBlock().keys);
      for (const { key } of each) overlay.get(stateKey(key));
    }
    return (processorUs() - startUs) / blocks;
  };
  return pairedUs(
    pairs,
    () => blocksUs(reads),
    () => blocksUs([]),
  );
}

/**
 * Without the verification, which is the same for all. Stage by stage, since a short one is seldom interrupted. Execution reads in the same
 * order each time.
 */
async function computeUs(
  world: Stage,
  transactions: readonly DecodedTransaction[],
  reads: readonly ReadOnce[],
  repeats: number,
): Promise<number> {
  const checkUs = await signaturesUs(world, transactions, Math.min(repeats, SIGNATURE_REPEATS_MAX));
  const decodeUs = least(repeats, () => {
    for (const { bytes } of transactions) decodeTransaction(bytes);
  });
  const messageUs = least(repeats, () => {
    for (const { transaction, id } of transactions) authorityMessage(id, (transaction as Transaction).auth);
  });
  if (!transactions.every(isSigned)) throw new Error('a signature failed');
  const all = transactions.map(prepared);
  let receipts: readonly Uint8Array[] = [];
  const executeUs = least(repeats, () => {
    let next = 0;
    receipts = world.execute(all, () => reads[next++]?.value).receiptBytes;
  });
  const hashUs = least(repeats, () => void merkleRoot(receipts));
  return 2 * decodeUs + messageUs + checkUs + executeUs + hashUs;
}

/** Of credentials, and of keys in actions. Without a cache, as the first node pays that sees them. */
async function signaturesUs(
  { chain }: Stage,
  transactions: readonly DecodedTransaction[],
  repeats: number,
): Promise<number> {
  const context = sessionChainOf(chain);
  let us = Number.POSITIVE_INFINITY;
  for (let i = 0; i < repeats; i++) {
    const checks = createAuthorityChecks(chain.verifier, context, createCredentialMemory());
    const startUs = processorUs();
    for (const { transaction } of transactions) {
      const fault = await checks.check(transaction as Transaction, 'chunk', GENESIS_EPOCH);
      if (fault !== undefined) throw new Error(`an authority failed: ${fault}`);
    }
    us = Math.min(us, processorUs() - startUs);
  }
  return us;
}

function isSigned({ transaction, id }: DecodedTransaction): boolean {
  const { body, auth } = transaction as Transaction;
  const publicKey = auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
  return ed25519Verify(publicKey, authorityMessage(id, auth), auth.signature);
}

export async function commitCost({ store, ...world }: Stage, batch: Parameters<Stage['commit']>[0]) {
  const before = await store.stats();
  const { bytes } = await world.commit(batch);
  const after = await store.stats();
  return { disk: bytes, allocate: after.liveBytes - before.liveBytes };
}

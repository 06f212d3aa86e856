/**
 * Mempool: accepted transactions that wait for a block.
 *
 * Bounded in transactions and bytes, for each sender and each origin: every member has a share; all other peers have one together (keys
 * are free), of which one peer gets half. A full pool refuses newcomers and displaces none, since a submitter has its answer. A
 * transaction leaves when a block executes it or passes its expiry, or when execution skips it for good.
 */
import type { PeerKey } from '@slipstream/ports';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { PoolTransaction } from './pool-transaction.ts';
import { createUrgentReserve } from './urgent-reserve.ts';

export type PoolRefusal = 'pool-full' | 'sender-limit' | 'peer-limit';

export interface Mempool {
  /** Undefined: added. The id must be new. */
  add(entry: PoolTransaction): PoolRefusal | undefined;
  /** Undefined: there is room. */
  refusal(bytes: number, sender: string, peer: PeerKey | undefined): PoolRefusal | undefined;
  /** urgent-reserve.ts */
  hasUrgentCapacity(sender: string, maxFee: bigint, balance: bigint | undefined): boolean;
  get(id: string): PoolTransaction | undefined;
  has(id: string): boolean;
  remove(id: string): PoolTransaction | undefined;
  /** Removes and returns what no block from this timestamp on can execute. */
  expire(timestampMs: number): readonly PoolTransaction[];
  /** Oldest first. The pool must not change meanwhile. */
  entries(): Iterable<PoolTransaction>;
  readonly count: number;
  readonly bytes: number;
}

type PoolLimits = Pick<
  DisseminationLimits,
  | 'poolTransactionsMax'
  | 'poolBytesMax'
  | 'senderTransactionsMax'
  | 'senderUrgentMax'
  | 'peerTransactionsMax'
  | 'peerBytesMax'
>;

/** Whose share a transaction takes: a validator's, or a peer's in that of all others. Fixed when it is added. */
interface Origin {
  readonly name: string;
  readonly isMember: boolean;
}

/** All peers outside the committee. */
const OTHER_PEERS = 'other peers';
const OTHER_PEERS_PART = 0.5;

/** By second of expiry, so a block touches only due transactions. */
const EXPIRY_GROUP_MS = 1_000;

export function createMempool(limits: PoolLimits, committees: Pick<Committees, 'validatorOf'>): Mempool {
  const byId = new Map<string, PoolTransaction>();
  const senders = createCounter();
  const urgent = createUrgentReserve(limits);
  const peers = createCounter();
  const peerBytes = createCounter();
  const bySecond = new Map<number, Set<PoolTransaction>>();
  const origins = new Map<string, Origin>();
  let bytes = 0;

  function originOf(peer: PeerKey): Origin {
    const name = committees.validatorOf(peer);
    return { name: name ?? peer, isMember: name !== undefined };
  }

  function refusal(size: number, sender: string, peer: PeerKey | undefined): PoolRefusal | undefined {
    if (byId.size >= limits.poolTransactionsMax || bytes + size > limits.poolBytesMax) return 'pool-full';
    if (senders.of(sender) >= limits.senderTransactionsMax) return 'sender-limit';
    if (peer === undefined) return undefined;
    const { name, isMember } = originOf(peer);
    const isOver =
      isOverPart(name, isMember ? 1 : OTHER_PEERS_PART, size) || (!isMember && isOverPart(OTHER_PEERS, 1, size));
    return isOver ? 'peer-limit' : undefined;
  }

  function isOverPart(name: string, part: number, size: number): boolean {
    return (
      peers.of(name) >= limits.peerTransactionsMax * part || peerBytes.of(name) + size > limits.peerBytesMax * part
    );
  }

  function charge({ name, isMember }: Origin, length: number, sign: 1 | -1): void {
    chargeTo(name, length, sign);
    if (!isMember) chargeTo(OTHER_PEERS, length, sign);
  }

  function chargeTo(name: string, length: number, sign: 1 | -1): void {
    peers.add(name, sign);
    peerBytes.add(name, sign * length);
  }

  function add(entry: PoolTransaction): PoolRefusal | undefined {
    const size = entry.bytes.length;
    const refused = refusal(size, entry.sender, entry.peer);
    if (refused !== undefined) return refused;
    byId.set(entry.id, entry);
    bytes += size;
    senders.add(entry.sender, 1);
    if (entry.feeClass === 'urgent') urgent.add(entry);
    if (entry.peer !== undefined) {
      const origin = originOf(entry.peer);
      origins.set(entry.id, origin);
      charge(origin, size, 1);
    }
    const second = Math.floor(entry.expiryMs / EXPIRY_GROUP_MS);
    const group = bySecond.get(second);
    if (group) group.add(entry);
    else bySecond.set(second, new Set([entry]));
    return undefined;
  }

  function remove(id: string): PoolTransaction | undefined {
    const entry = byId.get(id);
    if (entry === undefined) return undefined;
    byId.delete(id);
    bytes -= entry.bytes.length;
    senders.add(entry.sender, -1);
    if (entry.feeClass === 'urgent') urgent.remove(entry);
    const origin = origins.get(id);
    origins.delete(id);
    if (origin !== undefined) charge(origin, entry.bytes.length, -1);
    const second = Math.floor(entry.expiryMs / EXPIRY_GROUP_MS);
    const group = bySecond.get(second);
    group?.delete(entry);
    if (group?.size === 0) bySecond.delete(second);
    return entry;
  }

  function expire(timestampMs: number): readonly PoolTransaction[] {
    const last = Math.floor(timestampMs / EXPIRY_GROUP_MS);
    const due = [...bySecond]
      .filter(([second]) => second <= last)
      .flatMap(([, group]) => [...group].filter(({ expiryMs }) => expiryMs <= timestampMs));
    for (const { id } of due) remove(id);
    return due;
  }

  return {
    add,
    refusal,
    hasUrgentCapacity: urgent.hasCapacity,
    get: (id) => byId.get(id),
    has: (id) => byId.has(id),
    remove,
    expire,
    entries: () => byId.values(),
    get count() {
      return byId.size;
    },
    get bytes() {
      return bytes;
    },
  };
}

/** A name at zero is forgotten. */
function createCounter() {
  const counts = new Map<string, number>();
  return {
    of: (name: string) => counts.get(name) ?? 0,
    add(name: string, by: number) {
      const count = (counts.get(name) ?? 0) + by;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}

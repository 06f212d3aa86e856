/**
 * Epochs: the records that this node knows, and its own part in each.
 *
 *   executor --sealed--> next --moved--> now          handlers: admission, dialling, keys of the verifier
 *
 * A record is immutable and looked up by its number. Kept are those of epochs whose chunks count, the one before, and the sealed next one.
 */
import { EARLIER_EPOCHS_MAX } from '@slipstream/dissemination';
import { type Identity, memberIn } from '@slipstream/node-home/identity';
import type { PeerKey } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  type Block,
  type Committee,
  committeeOfRecord,
  type Epoch,
  type EpochRecord,
  epoch as epochOf,
} from '@slipstream/types';

type EpochChange = 'sealed' | 'moved' | 'left';

export interface NodeEpochs {
  of(epoch: Epoch): EpochRecord | undefined;
  /** A start has those whose members are in the state; earlier ones follow from the ledger, down to `oldest`. */
  addEarlier(record: EpochRecord): void;
  readonly oldest: Epoch;
  /** Undefined for an epoch without a record here. */
  committeeOf(epoch: Epoch): Committee | undefined;
  now(): Epoch;
  record(): EpochRecord;
  committee(): Committee;
  /** Sealed, and not begun. */
  next(): EpochRecord | undefined;
  /** This node's index in the record; undefined: it follows. */
  self(epoch?: Epoch): number | undefined;
  isMember(peer: PeerKey): boolean;
  /** Of the epoch before until `leaversGone`, the current one, or the sealed next one, under its key or the one that it changes from. */
  isAdmitted(peer: PeerKey): boolean;
  /** The key that a record names for the member that still uses this one; else the same. */
  canonical(peer: PeerKey): PeerKey;
  /** The key that the member of this one may still use. */
  previousOf(peer: PeerKey): PeerKey | undefined;
  /** Timestamp of its last block, 0 where it is not here any more; undefined while the epoch runs. */
  endedMs(epoch: Epoch): number | undefined;
  sealed(record: EpochRecord): void;
  ended(boundary: Pick<Block, 'epoch' | 'timestampMs'>): void;
  moved(epoch: Epoch): void;
  /** Members of the epoch before have had time to fetch what made their last block final. */
  leaversGone(): void;
  onChanged(handler: (change: EpochChange) => void): void;
}

interface KnownEpoch {
  readonly record: EpochRecord;
  readonly committee: Committee;
  /** This node's index by these keys, which are exchanged as a whole. */
  own: (Pick<Identity, 'blsKeys' | 'networkKeys'> & { readonly index: number | undefined }) | undefined;
}

/** `records`: of consecutive epochs, the one of `epoch` among them. */
export function createNodeEpochs(
  identity: Pick<Identity, 'blsKeys' | 'networkKeys'>,
  records: readonly EpochRecord[],
  epoch: Epoch,
): NodeEpochs {
  const known = new Map<number, KnownEpoch>();
  const ends = new Map<number, number>();
  const handlers: ((change: EpochChange) => void)[] = [];
  let now = epoch;
  let leavers: Epoch | undefined;
  let peers = new Map<PeerKey, 'member' | 'admitted'>();
  let renamed = new Map<PeerKey, PeerKey>();

  function add(record: EpochRecord): void {
    known.set(record.epoch, { record, committee: committeeOfRecord(record), own: undefined });
    for (const number of known.keys()) {
      if (number + EARLIER_EPOCHS_MAX < now) ends.delete(number);
      if (number < oldest()) known.delete(number);
    }
  }

  /** One more than chunks may be of judges their credentials. */
  function oldest(): Epoch {
    return epochOf(Math.max(0, now - EARLIER_EPOCHS_MAX - 1));
  }

  function current() {
    const found = known.get(now);
    assert(found !== undefined, 'the record of the current epoch is known');
    return found;
  }

  function index(): void {
    peers = new Map();
    renamed = new Map();
    for (const number of [leavers ?? now, now + 1, now]) {
      for (const { peerKey, previousPeerKey } of known.get(number)?.record.members ?? []) {
        if (previousPeerKey !== undefined && number >= now) peers.set(previousPeerKey, 'admitted');
        peers.set(peerKey, number === now ? 'member' : 'admitted');
      }
    }
    for (const { peerKey, previousPeerKey } of current().record.members) {
      if (previousPeerKey === undefined) continue;
      peers.set(previousPeerKey, 'member');
      renamed.set(previousPeerKey, peerKey);
    }
  }

  function changed(change: EpochChange): void {
    index();
    for (const handler of handlers) handler(change);
  }

  /** Asked for each transaction, and a committee may have 1,024 keys. */
  function self(of: Epoch = now): number | undefined {
    const found = known.get(of);
    if (found === undefined) return undefined;
    const { blsKeys, networkKeys } = identity;
    if (found.own?.blsKeys !== blsKeys || found.own.networkKeys !== networkKeys) {
      found.own = { blsKeys, networkKeys, index: memberIn(found.record, identity) };
    }
    return found.own.index;
  }

  for (const record of records) add(record);
  index();
  return {
    of: (number) => known.get(number)?.record,
    addEarlier(record) {
      assert(record.epoch < now, 'only records of earlier epochs come late');
      if (!known.has(record.epoch)) add(record);
    },
    get oldest() {
      return oldest();
    },
    committeeOf: (number) => known.get(number)?.committee,
    now: () => now,
    record: () => current().record,
    committee: () => current().committee,
    next: () => known.get(now + 1)?.record,
    self,
    isMember: (peer) => peers.get(peer) === 'member',
    isAdmitted: (peer) => peers.has(peer),
    canonical: (peer) => renamed.get(peer) ?? peer,
    previousOf(peer) {
      const member = renamed.size > 0 && current().record.members.find(({ peerKey }) => peerKey === peer);
      return member ? member.previousPeerKey : undefined;
    },
    sealed(record) {
      if (known.has(record.epoch) || record.epoch !== now + 1) return;
      add(record);
      changed('sealed');
    },
    endedMs: (number) => (number < now ? (ends.get(number) ?? 0) : undefined),
    ended: ({ epoch: number, timestampMs }) => void ends.set(number, timestampMs),
    moved(next) {
      if (next <= now) return;
      assert(known.has(next), 'an epoch begins with a known record');
      leavers = now;
      now = next;
      changed('moved');
    },
    leaversGone() {
      leavers = undefined;
      changed('left');
    },
    onChanged: (handler) => void handlers.push(handler),
  };
}

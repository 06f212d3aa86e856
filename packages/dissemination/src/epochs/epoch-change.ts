/**
 * Epoch change: what this node does with its pool and chunks when another committee takes over (D19, D20).
 *
 *   member --> member:     acks of early chunks; uncertified own chunks are packed again; of members that left, their part of the pool is packed
 *   member --> no member:  nothing is packed; the pool, and what uncertified own chunks hold, goes to the new committee
 *   no member --> member:  the pool is ready, in the order of homes
 *   an application upgraded: calls whose units differ leave the pool and enter again (applications.md, A16)
 */
import { toHex } from '@slipstream/primitives';
import { type DecodedTransaction, decodeTransaction, hexOf, requireAccount } from '@slipstream/types';
import { sameUnits, transactionsIn } from '../chunks/chunk.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { DisseminationParts } from '../parts.ts';
import type { EpochCommittee, ValidatorName } from './committees.ts';
import { createResubmission } from './resubmission.ts';

export interface EpochChange {
  moved(): void;
  ownChunkAbandoned(chunk: StoredChunk): void;
  /** In the pool and in no pending chunk, or to be submitted again. */
  pooled(): readonly Uint8Array[];
  resubmit(transactions: readonly Uint8Array[]): void;
  stop(): void;
}

type ChangeParts = Pick<
  DisseminationParts,
  | 'committees'
  | 'store'
  | 'ackSchedule'
  | 'producer'
  | 'forwarder'
  | 'pool'
  | 'ready'
  | 'eviction'
  | 'batchPool'
  | 'credentials'
  | 'reports'
  | 'rules'
  | 'intake'
  | 'clock'
>;

export function createEpochChange(parts: ChangeParts): EpochChange {
  const { committees, store, ackSchedule, producer, forwarder, pool, ready, credentials } = parts;
  const resubmission = createResubmission(parts);
  let isMember = committees.current.self !== undefined;

  function leave(): void {
    ready.clear();
    for (const { id, bytes, sender } of pool.entries()) {
      if (!ready.isInChunk(id)) forwarder.handOver({ id, bytes, senderKey: keyOf(sender) });
    }
  }

  /** What was sent to a member that left may have been on its way. */
  function inherit(): void {
    for (const entry of pool.entries()) {
      if (!ready.isInChunk(entry.id) && forwarder.packAfterMs(keyOf(entry.sender)) === 0) ready.add(entry, 0);
    }
  }

  function join(): void {
    for (const entry of pool.entries()) ready.add(entry, forwarder.packAfterMs(keyOf(entry.sender)));
  }

  /** The header of the next chunk has the sum by the new record. Those in own chunks come back with them, when these are abandoned. */
  function measureAgain(): void {
    const { epoch } = committees.current;
    const changed = [...pool.entries()].filter((entry) => {
      const { transaction, bytes } = decodeTransaction(entry.bytes, credentials);
      const units = parts.rules.unitsOf(transaction, bytes.length, epoch);
      return units !== undefined && !sameUnits(units, entry.units);
    });
    const loose = changed.filter(({ id }) => !ready.isInChunk(id));
    for (const { id } of changed) parts.eviction.withdraw(id);
    resubmission.add(loose.map(({ bytes }) => bytes));
  }

  function artifactsNow(): string {
    return committees.recordOf(committees.current.epoch).parameters.applications.map(toHex).join();
  }

  /** Chunks of this epoch came before it began here; their producers wait for acks. */
  async function acknowledgeEarly(): Promise<void> {
    const { current } = committees;
    if (current.self === undefined) return;
    const isEarly = ({ header, origin, hex }: StoredChunk) =>
      header.epoch === current.epoch && origin === 'producer' && !committees.isOwn(header) && !store.isRefused(hex);
    const early = [...store.pending()].filter(isEarly);
    const acknowledge = (chunk: StoredChunk) => {
      const peer = current.peerOf(chunk.header.producer);
      return peer && ackSchedule.arrived(chunk, peer, false);
    };
    await Promise.all(early.map(acknowledge));
  }

  return {
    moved() {
      const wasMember = isMember;
      const before = validatorsOf(committees.current);
      const artifacts = artifactsNow();
      forwarder.flush();
      committees.moved();
      isMember = committees.current.self !== undefined;
      if (artifactsNow() !== artifacts) measureAgain();
      parts.eviction.moved();
      parts.batchPool.moved();
      // Without a certificate, a chunk of the closed epoch is an orphan in blocks of the new one (D16).
      ackSchedule.acknowledgeAll();
      if (wasMember && !isMember) leave();
      if (!wasMember && isMember) join();
      const now = new Set(validatorsOf(committees.current));
      if (wasMember && isMember && before.some((each) => !now.has(each))) inherit();
      acknowledgeEarly().catch((cause) => parts.reports.failed?.(cause));
      producer.moved();
      if (!isMember) forwarder.flush();
    },
    ownChunkAbandoned(chunk) {
      ready.removeChunk(chunk.hex);
      const transactions = transactionsIn(chunk.body, credentials);
      const isPooled = ({ id }: DecodedTransaction) => pool.has(hexOf(id));
      resubmission.add(transactions.filter((each) => !isPooled(each)).map(({ bytes }) => bytes));
      if (isMember) return;
      for (const { id, transaction, bytes } of transactions.filter(isPooled)) {
        if (transaction) forwarder.handOver({ id: hexOf(id), bytes, senderKey: transaction.body.sender.bytes });
      }
      ready.clear();
    },
    pooled() {
      const pooled = [...pool.entries()].filter(({ id }) => !ready.isInChunk(id)).map(({ bytes }) => bytes);
      return [...pooled, ...resubmission.waiting()];
    },
    resubmit: resubmission.add,
    stop: resubmission.stop,
  };
}

function validatorsOf({ members, validatorAt }: EpochCommittee): readonly ValidatorName[] {
  return members.flatMap(({ index }) => validatorAt(index) ?? []);
}

/** Of a pool's sender, which is the text of an account. */
function keyOf(sender: string): Uint8Array {
  return requireAccount(sender).bytes;
}

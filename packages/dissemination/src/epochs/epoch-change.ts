/**
 * Epoch change: what this node does with its pool and chunks when another committee takes over (D19, D20).
 *
 *   member --> member:     acks of early chunks; uncertified own chunks are packed again
 *   member --> no member:  nothing is packed; the pool, and what uncertified own chunks hold, goes to the new committee
 *   no member --> member:  the pool is ready, in the order of homes
 */
import { decodeTransaction } from '@slipstream/types';
import { transactionsIn } from '../chunks/chunk.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { DisseminationParts } from '../parts.ts';
import type { PoolTransaction } from '../pool/pool-transaction.ts';

export interface EpochChange {
  moved(): void;
  ownChunkGivenUp(chunk: StoredChunk): void;
}

type ChangeParts = Pick<
  DisseminationParts,
  'committees' | 'store' | 'acks' | 'producer' | 'forwarder' | 'pool' | 'ready' | 'credentials' | 'reports'
>;

export function createEpochChange(parts: ChangeParts): EpochChange {
  const { committees, store, acks, producer, forwarder, pool, ready, credentials } = parts;
  let isMember = committees.current.self !== undefined;

  function handOver(entry: Pick<PoolTransaction, 'bytes'>): void {
    const { transaction } = decodeTransaction(entry.bytes, credentials);
    if (transaction) forwarder.handOver({ bytes: entry.bytes, senderKey: transaction.body.sender.bytes });
  }

  function leave(): void {
    ready.clear();
    for (const entry of pool.entries()) if (!ready.isInChunk(entry.id)) handOver(entry);
  }

  function join(): void {
    for (const entry of pool.entries()) {
      const { transaction } = decodeTransaction(entry.bytes, credentials);
      if (transaction) ready.add(entry, forwarder.packAfterMs(transaction.body.sender.bytes));
    }
  }

  /** Chunks of this epoch came before it began here; their producers wait for acks. */
  async function acknowledgeEarly(): Promise<void> {
    const { current } = committees;
    for (const chunk of [...store.pending()]) {
      const { header, origin } = chunk;
      const peer = current.peerOf(header.producer);
      if (header.epoch !== current.epoch || origin !== 'producer' || committees.isOwn(header) || !peer) continue;
      await acks.acknowledge(chunk, peer);
    }
  }

  return {
    moved() {
      const wasMember = isMember;
      forwarder.flush();
      committees.moved();
      isMember = committees.current.self !== undefined;
      if (wasMember && !isMember) leave();
      if (!wasMember && isMember) join();
      acknowledgeEarly().catch((cause) => parts.reports.failed?.(cause));
      producer.moved();
      if (!isMember) forwarder.flush();
    },
    ownChunkGivenUp(chunk) {
      ready.removeChunk(chunk.hex);
      if (isMember) return;
      for (const transaction of transactionsIn(chunk.body, credentials)) handOver(transaction);
      ready.clear();
    },
  };
}

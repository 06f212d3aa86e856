/**
 * Storage acks: this validator's promise to a producer that a chunk can be fetched here (D1).
 *
 *   stored --> log the ack --> queue of the producer --a few at a time, in turns--> sign | sync the log --> send
 *                                                                         requested again: the same bytes
 *
 * Own votes are signed in the same lane of the verifier, and one producer may send thousands of small chunks per second. So acks wait
 * here, where a vote passes them.
 *
 * INVARIANT (I3, D6): chunk and ack are durable, in one group commit, before the ack leaves. One ack for each chunk, one chunk for each
 * sequence: the caller has checked for equivocation.
 */
import type { PeerKey, Signer, Transport } from '@slipstream/ports';
import { chunkAckMessage, encodeFrame, type GenesisHash } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { StoredChunk } from './stored-chunk.ts';

export interface StorageAcks {
  /** Rejects when the log or the signer fails. */
  acknowledge(chunk: StoredChunk, producer: PeerKey): Promise<void>;
  forget(hex: string): void;
}

interface Waiting {
  readonly message: Uint8Array;
  resolve(signature: Uint8Array): void;
  reject(cause: unknown): void;
}

/** A vote waits for at most these: 7 ms. */
const SIGNED_AT_ONCE = 16;

export function createStorageAcks(
  {
    signer,
    wal,
    transport,
  }: {
    readonly signer: Signer;
    readonly wal: Pick<Wal, 'append' | 'sync'>;
    readonly transport: Pick<Transport, 'send'>;
  },
  { genesisHash, memberIndex }: { readonly genesisHash: GenesisHash; readonly memberIndex: number },
): StorageAcks {
  /** One for each pending chunk. */
  const frames = new Map<string, Promise<Uint8Array>>();
  /** By producer, none empty; the next in turn first. */
  const queues = new Map<PeerKey, Waiting[]>();
  let isSigning = false;

  async function make({ id }: StoredChunk, producer: PeerKey): Promise<Uint8Array> {
    wal.append('own-chunk-ack', id);
    const [signature] = await Promise.all([signed(chunkAckMessage(genesisHash, id), producer), wal.sync()]);
    return encodeFrame('chunkAck', { chunkId: id, signer: memberIndex, signature });
  }

  function signed(message: Uint8Array, producer: PeerKey): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const queue = queues.get(producer) ?? [];
    queues.set(producer, queue);
    queue.push({ message, resolve, reject });
    if (!isSigning) void drainQueues();
    return promise;
  }

  async function drainQueues(): Promise<void> {
    isSigning = true;
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      try {
        const signatures = await signer.sign(batch.map(({ message }) => message));
        for (const [i, { resolve }] of batch.entries()) resolve(signatures[i] as Uint8Array);
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    isSigning = false;
  }

  /** One of each producer, then a second of each, and so on. */
  function nextBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    for (const [producer, queue] of queues) {
      if (batch.length === SIGNED_AT_ONCE) break;
      batch.push(queue.shift() as Waiting);
      queues.delete(producer);
      if (queue.length > 0) queues.set(producer, queue); // at the end, where this loop meets it again
    }
    return batch;
  }

  return {
    async acknowledge(chunk, producer) {
      const known = frames.get(chunk.hex) ?? make(chunk, producer);
      frames.set(chunk.hex, known);
      transport.send(producer, 'consensus', await known);
    },
    forget: (hex) => void frames.delete(hex),
  };
}

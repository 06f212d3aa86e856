/**
 * Storage acks: this validator's promise to a producer that a chunk can be fetched here (D1).
 *
 *   stored --> log the ack --> the producer's queue --a few at a time, round robin--> sign | Durable --> send
 *                                                                         requested again: the same bytes
 *
 * Votes share the signing lane, and a producer may send thousands of small chunks per second, so acks queue here and votes pass them.
 *
 * INVARIANT (I3, D6): chunk and ack are durable, in one group commit, before the ack leaves. One ack for each chunk, one chunk for each
 * sequence: the caller has checked for equivocation.
 */
import type { FrameSender, PeerKey, Signer } from '@slipstream/ports';
import type { OutgoingFrame } from '@slipstream/primitives';
import { chunkAckMessage, type GenesisHash, outgoingFrame } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { StoredChunk } from './stored-chunk.ts';

export interface StorageAcks {
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
    readonly wal: Pick<Wal, 'append'>;
    readonly transport: Pick<FrameSender, 'send'>;
  },
  { genesisHash, memberIndex }: { readonly genesisHash: GenesisHash; readonly memberIndex: number },
): StorageAcks {
  const frames = new Map<string, Promise<OutgoingFrame>>();
  /** By producer, none empty, in round-robin order. */
  const queues = new Map<PeerKey, Waiting[]>();
  let isSigning = false;

  async function make({ id, header }: StoredChunk, producer: PeerKey): Promise<OutgoingFrame> {
    const { durable } = wal.append('own-chunk-ack', id, id);
    const [chunkId, signature] = await Promise.all([
      durable,
      signed(chunkAckMessage(genesisHash, header.epoch, id), producer),
    ]);
    return outgoingFrame('chunkAck', { chunkId, signer: memberIndex, signature });
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

  function nextBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    for (const [producer, queue] of queues) {
      if (batch.length === SIGNED_AT_ONCE) break;
      batch.push(queue.shift() as Waiting);
      queues.delete(producer);
      if (queue.length > 0) queues.set(producer, queue); // the loop meets it again at the end
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

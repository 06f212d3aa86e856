/**
 * Storage acks: this validator's promise to its producer that a chunk can be fetched here (D1).
 *
 *   stored --> log the ack --> line of the producer --a few at a time, in turns--> sign | sync the log --> send
 *                                                                                   again? the same bytes
 *
 * Own votes are signed in the same lane of the verifier. One producer may send thousands of small chunks a second, so their acks wait
 * here: in that lane a vote stood behind them for seconds, and found it full.
 *
 * INVARIANT (I3, D1): chunk and ack are durable, in one group commit, before the ack leaves. One ack a chunk, one chunk a
 * sequence: whoever asks for an ack has looked for equivocation before.
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

/** So long a vote waits at most: 7 ms. */
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
  /** One a pending chunk. */
  const frames = new Map<string, Promise<Uint8Array>>();
  /** Not empty, by producer; whose turn it is first. */
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

  /** One of each producer, then another of each. */
  function nextBatch(): readonly Waiting[] {
    const batch: Waiting[] = [];
    for (const [producer, line] of queues) {
      if (batch.length === SIGNED_AT_ONCE) break;
      batch.push(line.shift() as Waiting);
      queues.delete(producer);
      if (line.length > 0) queues.set(producer, line); // behind the others, where this loop comes to it again
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

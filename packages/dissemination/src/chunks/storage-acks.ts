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
import { chunkAckMessage, type Epoch, type GenesisHash, outgoingFrame } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { Committees } from '../epochs/committees.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface StorageAcks {
  /** As a member of the chunk's epoch; no effect for one that does not sign in it. */
  acknowledge(chunk: StoredChunk, producer: PeerKey): Promise<void>;
  forget(hex: string): void;
}

interface Waiting {
  readonly epoch: Epoch;
  readonly signer: Signer;
  readonly message: Uint8Array;
  resolve(signature: Uint8Array): void;
  reject(cause: unknown): void;
}

interface OwnPart {
  readonly index: number;
  readonly signer: Signer;
}

/** A vote waits for at most these: 7 ms. */
const SIGNED_AT_ONCE = 16;

export function createStorageAcks(
  {
    signerOf,
    committees,
    wal,
    transport,
  }: {
    signerOf(epoch: Epoch): Signer | undefined;
    readonly committees: Pick<Committees, 'of'>;
    readonly wal: Pick<Wal, 'append'>;
    readonly transport: Pick<FrameSender, 'send'>;
  },
  { genesisHash }: { readonly genesisHash: GenesisHash },
): StorageAcks {
  const frames = new Map<string, Promise<OutgoingFrame>>();
  /** By producer, none empty, in round-robin order. */
  const queues = new Map<PeerKey, Waiting[]>();
  let isSigning = false;

  async function make({ id, header }: StoredChunk, producer: PeerKey, own: OwnPart): Promise<OutgoingFrame> {
    const { durable } = wal.append('own-chunk-ack', id, id);
    const [chunkId, signature] = await Promise.all([
      durable,
      signed(chunkAckMessage(genesisHash, header.epoch, id), producer, { ...own, epoch: header.epoch }),
    ]);
    return outgoingFrame('chunkAck', { chunkId, signer: own.index, signature });
  }

  function signed(
    message: Uint8Array,
    producer: PeerKey,
    { epoch, signer }: Pick<Waiting, 'epoch' | 'signer'>,
  ): Promise<Uint8Array> {
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const queue = queues.get(producer) ?? [];
    queues.set(producer, queue);
    queue.push({ epoch, signer, message, resolve, reject });
    if (!isSigning) void drainQueues();
    return promise;
  }

  async function drainQueues(): Promise<void> {
    isSigning = true;
    for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
      // A validator's key may change with the epoch.
      const epochs = new Set(batch.map(({ epoch }) => epoch));
      for (const epoch of epochs) await sign(batch.filter((each) => each.epoch === epoch));
    }
    isSigning = false;
  }

  async function sign(batch: readonly Waiting[]): Promise<void> {
    const { signer } = batch[0] as Waiting;
    try {
      const signatures = await signer.sign(batch.map(({ message }) => message));
      for (const [i, { resolve }] of batch.entries()) resolve(signatures[i] as Uint8Array);
    } catch (cause) {
      for (const { reject } of batch) reject(cause);
    }
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
      const { epoch } = chunk.header;
      const index = committees.of(epoch)?.self;
      const signer = signerOf(epoch);
      if (index === undefined || signer === undefined) return;
      const known = frames.get(chunk.hex) ?? make(chunk, producer, { index, signer });
      frames.set(chunk.hex, known);
      transport.send(producer, 'consensus', await known);
    },
    forget: (hex) => void frames.delete(hex),
  };
}

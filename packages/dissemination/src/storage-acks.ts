/**
 * Storage acks: this validator's promise to its producer that a chunk can be fetched here (D1).
 *
 *   stored --> log the ack --> sign | sync the log --> send          again? the same bytes
 *
 * INVARIANT (I3, D1): chunk and ack are durable, in one group commit, before the ack leaves. One ack a chunk, one chunk a
 * sequence: whoever asks for an ack has looked for equivocation before.
 */
import type { PeerKey, Signer, Transport } from '@slipstream/ports';
import { chunkAckMessage, encodeFrame, type GenesisHash } from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { StoredChunk } from './chunk-store.ts';

export interface StorageAcks {
  /** Rejects when the log or the signer fails. */
  acknowledge(chunk: StoredChunk, producer: PeerKey): Promise<void>;
  forget(hex: string): void;
}

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

  async function sign({ id }: StoredChunk): Promise<Uint8Array> {
    wal.append('own-chunk-ack', id);
    const [signatures] = await Promise.all([signer.sign([chunkAckMessage(genesisHash, id)]), wal.sync()]);
    return encodeFrame('chunkAck', { chunkId: id, signer: memberIndex, signature: signatures[0] as Uint8Array });
  }

  return {
    async acknowledge(chunk, producer) {
      const known = frames.get(chunk.hex) ?? sign(chunk);
      frames.set(chunk.hex, known);
      transport.send(producer, 'consensus', await known);
    },
    forget: (hex) => void frames.delete(hex),
  };
}

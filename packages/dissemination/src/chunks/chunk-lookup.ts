import type { Clock } from '@slipstream/ports';
import { type ChunkId, hexOf } from '@slipstream/types';
import type { Components } from '../components.ts';
import { type ChunkRules, reopenChunk } from './chunk.ts';
import type { ChunkStore } from './chunk-store.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface ChunkLookup {
  /** Opens a committed chunk again. */
  inMemory(chunkId: ChunkId): StoredChunk | undefined;
  find(chunkId: ChunkId): Promise<StoredChunk | undefined>;
  /** Serialized signed chunk, for peers. */
  bytesOf(chunkId: ChunkId): Promise<Uint8Array | undefined>;
}

interface ChunkLookupParts extends Pick<Components, 'loadChunk'> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly store: Pick<ChunkStore, 'get' | 'bytesOf'>;
}

export function createChunkLookup(
  { clock, store, loadChunk }: ChunkLookupParts,
  chunkRules: Pick<ChunkRules, 'rules' | 'credentials' | 'batches'>,
): ChunkLookup {
  function inMemory(chunkId: ChunkId): StoredChunk | undefined {
    const hex = hexOf(chunkId);
    const pending = store.get(hex);
    if (pending) return pending;
    const bytes = store.bytesOf(hex);
    return bytes && reopen(bytes);
  }

  function reopen(bytes: Uint8Array): StoredChunk | undefined {
    const opened = reopenChunk(bytes, chunkRules);
    if (opened === undefined) return undefined;
    const { transactions, ...unopened } = opened;
    const ids = transactions.map(({ id }) => hexOf(id));
    return { ...unopened, logSequence: 0, origin: 'served', ids, arrivedMs: clock.monotonicMs() };
  }

  return {
    inMemory,
    async find(chunkId) {
      const known = inMemory(chunkId);
      if (known) return known;
      const bytes = await loadChunk?.(chunkId);
      return bytes && reopen(bytes);
    },
    async bytesOf(chunkId) {
      return store.bytesOf(hexOf(chunkId)) ?? (await loadChunk?.(chunkId));
    },
  };
}

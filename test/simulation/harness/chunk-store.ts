/**
 * 64 random bytes per chunk, named by their hash. They travel ahead of the proposal, are logged before their block is valid, and move to
 * the ledger at the commit.
 */
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual, sha256 } from '@slipstream/primitives';
import { asId, type Block, type ChunkId, decodeFrame, encodeFrame, hexOf } from '@slipstream/types';
import { WalError } from '@slipstream/wal';
import { chunkKey, type PayloadSurroundings, type PayloadsOfNode, putsOf } from './payloads.ts';

/** After so many commits unused chunks are dropped. */
const COMMITTED_RETAINED = 16;

const CHUNK_BYTES = 64;
const ASK_EVERY_MS = 100;
/** The oldest are dropped. Above the limit of consensus (256 blocks). */
const HELD_MAX = 1024;

const NOTHING = new Uint8Array(0);

export async function openRandomChunks(surroundings: PayloadSurroundings): Promise<PayloadsOfNode> {
  const { world, ledger, wal, chain, restored, busy, workload } = surroundings;
  const peers = chain.committee.members.map(({ peerKey }) => peerKey);
  const { random, clock, transport } = world;
  const held = new Map<string, { readonly bytes: Uint8Array; readonly sequence: number }>();
  const committed: number[] = [];
  const waiting = new Map<string, (() => void)[]>();
  const wanted = new Map<string, number>();
  for (const { kind, sequence, payload } of restored) if (kind === 'chunk') keep(payload, sequence);

  function keep(bytes: Uint8Array, sequence?: number): void {
    const key = hexOf(asId<ChunkId>(sha256(bytes)));
    if (held.has(key)) return;
    held.set(key, { bytes, sequence: sequence ?? wal.append('chunk', bytes) });
    const [oldest] = held.keys();
    if (held.size > HELD_MAX && oldest !== undefined) held.delete(oldest);
    for (const resolve of waiting.get(key) ?? []) resolve();
    waiting.delete(key);
  }

  /** After a failed write the log stores nothing more, and its owner ends the node. */
  function take(bytes: Uint8Array): void {
    try {
      keep(bytes);
    } catch (error) {
      if (!(error instanceof WalError)) throw error;
    }
  }

  /** Chunks older than long committed ones belong to lost proposals, unless a pending block names them. */
  function dropDead(): void {
    if (committed.length <= COMMITTED_RETAINED) return;
    const below = committed.shift() as number;
    for (const [key, { sequence }] of held) if (sequence < below && !wanted.has(key)) held.delete(key);
  }

  async function get(id: ChunkId): Promise<Uint8Array | undefined> {
    return held.get(hexOf(id))?.bytes ?? (await ledger.get(chunkKey(id)));
  }

  async function ask(id: ChunkId, peer: PeerKey): Promise<void> {
    const response = await surroundings.connected()?.sync.ask(peer, { query: 'chunk', id });
    const [bytes] = response?.chunks ?? [];
    if (bytes && bytesEqual(sha256(bytes), id) && world.lifetime.alive) take(bytes);
  }

  async function obtainOne(id: ChunkId, proposer: number, signal: AbortSignal | undefined): Promise<void> {
    const key = hexOf(id);
    for (let round = 0; !held.has(key) && signal?.aborted !== true; round++) {
      const arrived = new Promise<void>((resolve) => {
        waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
      });
      const peer = peers[(proposer + round) % peers.length];
      // The first round waits for the chunk's own frame.
      if (round > 0 && peer !== undefined && peer !== world.peer) void ask(id, peer);
      const waited = new Promise<void>((resolve) =>
        clock.after(round === 0 ? ASK_EVERY_MS / 10 : ASK_EVERY_MS, resolve),
      );
      await Promise.race([arrived, waited]);
    }
  }

  function isChunk({ length }: Uint8Array): boolean {
    return length >= CHUNK_BYTES && length <= (workload?.chunkBytesMax ?? CHUNK_BYTES);
  }

  function make(): ChunkId {
    const bytes = workload?.makeChunk(random) ?? random.bytes(CHUNK_BYTES);
    keep(bytes);
    transport.broadcast('transaction', encodeFrame('transactions', { transactions: [bytes], awaited: [] }));
    return asId<ChunkId>(sha256(bytes));
  }

  async function obtain({ payload, proposer, height }: Block, signal: AbortSignal | undefined): Promise<void> {
    for (const { chunkId } of payload) wanted.set(hexOf(chunkId), height);
    for (const { chunkId } of payload) await obtainOne(chunkId, proposer, signal);
  }

  return {
    build: async () => (busy ? [{ chunkId: make(), certificate: undefined }] : []),
    async check(_blockId, block, signal) {
      await obtain(block, signal);
      return { type: 'valid' };
    },
    async content(_blockId, block) {
      await obtain(block, undefined);
      return NOTHING;
    },
    hasPending: () => busy,
    onFrame(_from, _name, frame) {
      const decoded = decodeFrame(frame);
      if (!decoded.ok || decoded.value.name !== 'transactions') return;
      for (const bytes of decoded.value.value.transactions) if (isChunk(bytes)) take(bytes);
    },
    get,
    commitOf: (block) => putsOf(block, get),
    committed(_blockId, { payload, height }) {
      for (const [key, of] of wanted) if (of <= height) wanted.delete(key);
      for (const { chunkId } of payload) {
        const { sequence } = held.get(hexOf(chunkId)) ?? {};
        held.delete(hexOf(chunkId));
        if (sequence !== undefined) committed.push(sequence);
      }
      dropDead();
    },
    has: ({ payload }) => payload.every(({ chunkId }) => held.has(hexOf(chunkId))),
    holds: (id) => held.has(hexOf(id)),
    retainedBytes: () => held.size * CHUNK_BYTES,
    get logFloor() {
      const [oldest] = held.values();
      return oldest?.sequence ?? Number.POSITIVE_INFINITY;
    },
  };
}

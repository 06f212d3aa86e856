/**
 * Invariants of dissemination, from frames and reports alone.
 *
 *   D1  a node that acknowledged a chunk serves it, also after a power cut, until the chunk is in a block of its ledger or a block passed
 *       its expiry. An ack signed after the block was in the ledger promises from there
 *   D2  no chunk is in two blocks of the final chain, nor twice in one
 *   D3  every node judges every transaction like this checker, which decodes the bytes itself
 */
import { decompress } from '@slipstream/network/compression';
import { fromHex, toHex } from '@slipstream/primitives';
import type { Checker, SimEvent } from '@slipstream/simulator';
import {
  CHUNK_MESSAGE_BYTES_MAX,
  type ChunkId,
  chunkBodyCodec,
  chunkIdOf,
  decodeFrame,
  decodeTransaction,
  FRAMES,
  signedChunkCodec,
} from '@slipstream/types';
import { isSigned } from '../harness/accounts.ts';
import type { CommittedBlock, ExecutedBlock } from '../harness/disseminating.ts';
import type { Check, ReportedEvent } from './watched.ts';

export interface ChunkRecord {
  readonly checker: Checker;
  /** In ledgers, by id. */
  readonly committed: ReadonlyMap<string, string>;
  /** An honest node sent the certificate. */
  readonly certified: ReadonlySet<string>;
  /** Accepted by an honest node, in no ledger. */
  readonly outstanding: ReadonlySet<string>;
  /** In blocks, with a bad signature. */
  readonly skipped: ReadonlySet<string>;
}

export interface ChunkWitness {
  isHonest(peer: string): boolean;
  /** Undefined: the node does not run. */
  holds(peer: string, id: ChunkId): boolean | undefined;
}

interface Kept {
  readonly id: ChunkId;
  readonly hex: string;
}

const RATIO_MAX = 1_000;

export function createChunkRecord({ isHonest, holds }: ChunkWitness): ChunkRecord {
  const promised = new Map<string, Map<string, Kept>>();
  const inLedgers = new Map<string, Set<string>>();
  const expiryMs = new Map<string, number>();
  const committed = new Map<string, string>();
  const certified = new Set<string>();
  const outstanding = new Set<string>();
  const inBlocks = new Set<string>();
  /** Validly signed, by block. */
  const contents = new Map<string, readonly string[]>();
  const skipped = new Set<string>();

  function onSent(from: string, frame: Uint8Array): void {
    const kind = frame[0];
    if (kind !== FRAMES.chunk.kind && kind !== FRAMES.chunkAck.kind && kind !== FRAMES.chunkCertified.kind) return;
    const decoded = decodeFrame(frame);
    if (!decoded.ok) return;
    if (decoded.value.name === 'chunk') noteExpiry(decoded.value.value);
    if (!isHonest(from)) return;
    if (decoded.value.name === 'chunkCertified') certified.add(toHex(decoded.value.value.chunkId));
    if (decoded.value.name !== 'chunkAck') return;
    const id = decoded.value.value.chunkId;
    const hex = toHex(id);
    if (inLedgers.get(from)?.has(hex)) return;
    const own = promised.get(from) ?? new Map<string, Kept>();
    promised.set(from, own.set(hex, { id, hex }));
  }

  function noteExpiry({ compressed, bytes }: { readonly compressed: boolean; readonly bytes: Uint8Array }): void {
    const limits = { bytesMax: CHUNK_MESSAGE_BYTES_MAX, ratioMax: RATIO_MAX };
    const opened = compressed ? decompress(bytes, limits) : ({ ok: true, value: bytes } as const);
    const chunk = opened.ok ? signedChunkCodec.decode(opened.value) : undefined;
    if (chunk?.ok) expiryMs.set(toHex(chunkIdOf(chunk.value.header)), chunk.value.header.expiryMs);
  }

  function onExecuted({ blockId, chunks }: ExecutedBlock, peer: string, check: Check): void {
    const good: string[] = [];
    for (const { hex, verdicts } of chunks) {
      const chunk = signedChunkCodec.decode(fromHex(hex));
      const body = chunk.ok ? chunkBodyCodec.decode(chunk.value.body) : undefined;
      check(body?.ok === true, 'D1: what is executed is a chunk', { peer, blockId });
      for (const [at, transaction] of (body?.ok ? body.value.transactions : []).entries()) {
        const decoded = decodeTransaction(transaction);
        const signed = isSigned(decoded);
        const id = toHex(decoded.id);
        if (signed) good.push(id);
        else skipped.add(id);
        check(verdicts[at] === signed, 'D3: every node judges each signature alike', { peer, blockId, id, signed });
      }
    }
    contents.set(blockId, good);
  }

  function onCommitted({ blockId, timestampMs, chunks }: CommittedBlock, peer: string, check: Check): void {
    check(new Set(chunks).size === chunks.length, 'D2: a block references a chunk once', { peer, blockId });
    const inLedger = inLedgers.get(peer) ?? new Set();
    inLedgers.set(peer, inLedger);
    for (const hex of chunks) {
      const first = committed.get(hex) ?? blockId;
      check(first === blockId, 'D2: a chunk is referenced once on a chain', { peer, hex, first, second: blockId });
      committed.set(hex, blockId);
      inLedger.add(hex);
      promised.get(peer)?.delete(hex);
    }
    for (const id of contents.get(blockId) ?? []) {
      inBlocks.add(id);
      outstanding.delete(id);
    }
    for (const hex of promised.get(peer)?.keys() ?? []) {
      if ((expiryMs.get(hex) ?? Number.POSITIVE_INFINITY) <= timestampMs) promised.get(peer)?.delete(hex);
    }
  }

  /** Every change of a node is part of an event that names it. */
  function checkPromises(event: SimEvent, check: Check): void {
    for (const peer of nodesOf(event)) {
      for (const { id, hex } of promised.get(peer)?.values() ?? []) {
        check(holds(peer, id) !== false, 'D1: a node that acknowledged a chunk serves it', { peer, hex });
      }
    }
  }

  return {
    checker(event, { check }) {
      if (event.type === 'frame-sent') onSent(event.from, event.frame);
      if (event.type === 'note' && event.name === 'report' && isHonest(event.node)) {
        const { type, fields } = event.data as ReportedEvent;
        if (type === 'block.executed') onExecuted(fields as unknown as ExecutedBlock, event.node, check);
        if (type === 'block.in-ledger') onCommitted(fields as unknown as CommittedBlock, event.node, check);
        if (type === 'transaction.accepted' && !inBlocks.has(String(fields.id))) outstanding.add(String(fields.id));
      }
      checkPromises(event, check);
    },
    committed,
    certified,
    outstanding,
    skipped,
  };
}

function nodesOf(event: SimEvent): readonly string[] {
  if ('node' in event) return [event.node];
  return 'from' in event ? [event.from, event.to] : [];
}

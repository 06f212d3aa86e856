/** Frames of hostile peers: each breaks, strains or stalls a part of a node. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import type { Stream } from '@libp2p/interface';
import { buildTransaction, keyPairFrom, transfer } from '@slipstream/client';
import type { Lane } from '@slipstream/ports';
import { concatBytes, uint32le } from '@slipstream/primitives';
import {
  asId,
  type ChunkId,
  encodeFrame,
  FRAME_LIMITS,
  GENESIS_EPOCH,
  type GenesisHash,
  transactionCodec,
  view,
} from '@slipstream/types';
import { tryTo } from './peer.ts';

/** Length, then frame. */
export function framed(frame: Uint8Array): Uint8Array {
  return concatBytes(uint32le(frame.length), frame);
}

export const GARBAGE: Uint8Array = new Uint8Array([0xde, 0xad, 0xbe, 0xef, 0xff, 0x13, 0x37]);

/** Announces four gigabytes on the chunk lane. */
export const OVERSIZE: Uint8Array = new Uint8Array([255, 255, 255, 255, kindOf('chunk')]);

/** The head of the lane's largest frame, and half of its body. */
export function halfAFrame(lane: Lane): Uint8Array {
  const kind = kindOf(lane);
  const bytesMax = FRAME_LIMITS.get(kind)?.bytesMax ?? 0;
  const half = new Uint8Array(Math.floor(bytesMax / 2));
  half[0] = kind;
  return concatBytes(uint32le(bytesMax), half);
}

/** The kind of a lane's largest frames. */
function kindOf(lane: Lane): number {
  const ofLane = [...FRAME_LIMITS].filter(([, limit]) => limit.lane === lane);
  return ofLane.toSorted(([, a], [, b]) => b.bytesMax - a.bytesMax)[0]?.[0] ?? 0;
}

/** Endless valid requests for data that a node has. */
export function* syncRequests(): Generator<Uint8Array> {
  for (let requestId = 1; ; requestId++) {
    const id = new Uint8Array(32);
    yield encodeFrame('syncRequest', { requestId, query: 'finalized', id, from: 0, to: 64 });
  }
}

export function* unsolicitedResponses(): Generator<Uint8Array> {
  const chunk = randomBytes(100_000);
  for (let requestId = 1; ; requestId++) {
    yield encodeFrame('syncResponse', { requestId, blocks: [], certificates: [], chunks: [chunk], more: true });
  }
}

/** Bytes that are no transactions, in frames for transactions. */
export function* nonsenseTransactions(): Generator<Uint8Array> {
  for (;;) {
    const transactions = Array.from({ length: 500 }, () => randomBytes(200));
    yield encodeFrame('transactions', { transactions, awaited: [] });
  }
}

/** A few kilobytes that decompress to a gigabyte of zeros. */
export function* bombs(): Generator<Uint8Array> {
  const bytes = zstdCompressSync(Buffer.alloc(BOMB_BYTES));
  for (;;) yield encodeFrame('chunk', { compressed: true, bytes });
}
const BOMB_BYTES = 512 * 1024 * 1024;

/** Certificates of chunks that do not exist, by a quorum of signers: each would cost a pairing check. */
export function* falseCertificates(signers: readonly number[] = [0, 1, 2]): Generator<Uint8Array> {
  const certificate = { epoch: GENESIS_EPOCH, signers, aggregate: randomBytes(96) };
  for (;;)
    yield encodeFrame('chunkCertified', { chunkId: asId<ChunkId>(randomBytes(32)), certificate, suspendedMs: 5_000 });
}

/** Well-formed, with invalid signatures, one per frame: each would cost a check. */
export function* forgedTransactions(genesisHash: GenesisHash): Generator<Uint8Array> {
  const sender = keyPairFrom(randomBytes(32));
  for (let at = 0n; ; at++) {
    const expiryMs = Date.now() + FORGED_LIFE_MS;
    const actions = [transfer(sender.accountText, at + 1n)];
    const body = buildTransaction({ genesisHash, sender: sender.account, expiryMs, actions });
    const transaction = { body, auth: { scheme: 'ed25519', signature: randomBytes(64) } } as const;
    yield encodeFrame('transactions', { transactions: [transactionCodec.encode(transaction)], awaited: [] });
  }
}
const FORGED_LIFE_MS = 20_000;

const DRAIN_POLL_MS = 5;

/** Sends as fast as the target reads, until aborted or disconnected. Resolves with the bytes sent. */
export async function floodWith(stream: Stream, frames: Iterable<Uint8Array>, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  for (const frame of frames) {
    while (stream.writableNeedsDrain && stream.status === 'open' && !signal.aborted) await sleep(DRAIN_POLL_MS);
    if (signal.aborted || stream.status !== 'open' || !tryTo(() => stream.send(framed(frame)))) return bytes;
    bytes += frame.length;
    // Yields to other attackers.
    await new Promise((turn) => setImmediate(turn));
  }
  return bytes;
}

/** Votes of one member in endless views, with invalid signatures. */
export function* voteSpam(signer: number): Generator<Uint8Array> {
  const signature = randomBytes(192);
  for (let at = 1; ; at++) {
    const subject = { kind: 'nullify', epoch: GENESIS_EPOCH, view: view(1_000_000 + at) } as const;
    const votes = [{ subject, signer, signature }];
    yield encodeFrame('consensus', { certificates: [], votes, confirmations: [] });
  }
}

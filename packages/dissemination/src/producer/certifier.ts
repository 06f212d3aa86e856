/**
 * Certifier: from the storage acks of own chunks to certificates (D12).
 *
 *   track --> acks, unverified, one slot for each validator --> quorum: ONE aggregate check --> certificate
 *               ^-- chunk sent again to those without           \--bad--> offenders reported; quorum again
 *
 * The committee of a chunk's epoch judges its acks, also once the epoch is closed. Then the chunk is not sent again (D19).
 */
import { createQuorumBuffer, type QuorumBuffer } from '@slipstream/crypto';
import type { Clock, FrameSender, PeerKey, Telemetry, Verifier } from '@slipstream/ports';
import type { Durable, OutgoingFrame } from '@slipstream/primitives';
import {
  type ChunkCertificate,
  type ChunkId,
  chunkAckMessage,
  decodeFrame,
  type GenesisHash,
  hexOf,
} from '@slipstream/types';
import type { ChunkWire } from '../chunks/chunk-wire.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Reports } from '../components.ts';
import type { Committees, EpochCommittee } from '../epochs/committees.ts';
import type { DisseminationEvents } from '../events.ts';
import { CHUNK_RESEND_MS } from '../limits.ts';

export interface Certifier {
  /** An own chunk: header and own ack are durable. */
  track(chunk: StoredChunk, ownAck: OwnAck): void;
  /** A `chunkAck` frame with its kind byte. */
  onAck(from: PeerKey, frame: Uint8Array): void;
  /** Committed or gone. */
  forget(hex: string): void;
  /** Own chunks. */
  readonly uncertified: number;
  /** Those of the current epoch. */
  readonly uncertifiedOpen: number;
  /** produced = certified + unneeded + uncertified. */
  counts(): CertifierCounts;
  stop(): void;
}

export interface CertifierCounts {
  /** Since start. */
  readonly produced: number;
  readonly transactions: number;
  readonly certified: number;
  /** Committed or expired before certification. */
  readonly unneeded: number;
}

export interface OwnAck {
  readonly chunkId: Durable<ChunkId>;
  readonly signature: Uint8Array;
}

interface CertifierParts {
  readonly verifier: Pick<Verifier, 'checkQuorum'>;
  readonly transport: FrameSender;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly reports: Reports;
  readonly wire: ChunkWire;
  readonly events: Pick<DisseminationEvents, 'ownChunkCertified'>;
  /** A chunk no longer pending gets no acks, so its place would never be freed. */
  isPending(hex: string): boolean;
  readonly committees: Committees;
}

interface Tracked {
  readonly chunk: StoredChunk;
  readonly committee: EpochCommittee;
  readonly frame: OutgoingFrame;
  readonly buffer: QuorumBuffer<ChunkId>;
  readonly sentMs: number;
  resentMs: number;
}

export function createCertifier(
  { verifier, transport, clock, telemetry, reports, wire, events, isPending, committees }: CertifierParts,
  { genesisHash }: { readonly genesisHash: GenesisHash },
): Certifier {
  const tracked = new Map<string, Tracked>();
  const counts = { produced: 0, transactions: 0, certified: 0, unneeded: 0 };
  let cancelResend: (() => void) | undefined;

  function track(chunk: StoredChunk, { chunkId, signature }: OwnAck): void {
    if (tracked.has(chunk.hex) || !isPending(chunk.hex)) return;
    const { epoch, producer } = chunk.header;
    const committee = committees.of(epoch);
    if (committee === undefined) return; // over since the chunk was made
    const buffer = createQuorumBuffer<ChunkId>({
      epoch,
      weights: committee.members.map(({ weight }) => weight),
      signedBytes: (id) => chunkAckMessage(genesisHash, epoch, id),
    });
    const nowMs = clock.monotonicMs();
    const frame = wire.frameOf(chunkId, chunk.bytes);
    const entry: Tracked = { chunk, committee, frame, buffer, sentMs: nowMs, resentMs: nowMs };
    tracked.set(chunk.hex, entry);
    counts.produced++;
    counts.transactions += chunk.ids.length;
    transport.broadcast('chunk', entry.frame);
    cancelResend ??= clock.after(CHUNK_RESEND_MS, resend);
    const { id, hex } = chunk;
    buffer.add({ signer: producer, messageKey: hex, message: id, signature, verified: true });
    check(entry);
  }

  function onAck(from: PeerKey, frame: Uint8Array): void {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'chunkAck') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a chunk ack' : decoded.error.message);
      return;
    }
    const { chunkId, signer, signature } = decoded.value.value;
    const entry = tracked.get(hexOf(chunkId));
    if (entry?.committee.indexOf(from) !== signer && !committees.isSigner(from, signer)) {
      reports.offence(from, 'wrong-signer', `a storage ack of member ${signer} from another peer`);
      return;
    }
    // Certified, committed, from before a restart, or as a member of another epoch.
    if (entry === undefined || entry.committee.indexOf(from) !== signer) return;
    const { buffer, chunk } = entry;
    const vote = { signer, messageKey: chunk.hex, message: chunk.id, signature: signature.slice(), verified: false };
    if (buffer.add(vote).type === 'other-signature') {
      reports.offence(from, 'invalid-signature', `two different acks of chunk ${chunk.hex}`);
    }
    check(entry);
  }

  function check(entry: Tracked): void {
    const quorum = entry.buffer.ready();
    if (quorum === undefined) return;
    const { messageKey } = quorum;
    verifier.checkQuorum(quorum.request).then(
      (result) => {
        if (tracked.get(messageKey) !== entry) return;
        telemetry.event('quorum.verified', {
          kind: 'chunk',
          view: 0,
          votes: quorum.request.votes.length,
          ms: result.tookMs,
        });
        const outcome = entry.buffer.complete(messageKey, result);
        if (outcome.type === 'certificate') return finish(entry, outcome.certificate);
        for (const { signer } of outcome.offenders) {
          const peer = entry.committee.peerOf(signer) as PeerKey;
          reports.offence(peer, 'invalid-signature', `its storage ack of chunk ${messageKey} does not hold`);
        }
        check(entry);
      },
      (cause: unknown) => {
        entry.buffer.abandon(messageKey); // the verifier stopped: its owner knows
        telemetry.log('warn', 'storage acks could not be checked', { cause: String(cause) });
      },
    );
  }

  function finish({ chunk, sentMs }: Tracked, { signers, aggregate }: Omit<ChunkCertificate, 'epoch'>): void {
    tracked.delete(chunk.hex);
    counts.certified++;
    events.ownChunkCertified(chunk, { epoch: chunk.header.epoch, signers, aggregate }, clock.monotonicMs() - sentMs);
  }

  function resend(): void {
    const nowMs = clock.monotonicMs();
    for (const entry of tracked.values()) {
      if (!isOpenIn(committees, entry) || nowMs - entry.resentMs < CHUNK_RESEND_MS) continue;
      entry.resentMs = nowMs;
      const { committee, buffer, frame } = entry;
      const missing = committee.members.filter(({ index }) => buffer.vote(index) === undefined);
      for (const { index } of missing) committee.peersOf(index).some((peer) => transport.send(peer, 'chunk', frame));
      check(entry); // an earlier check of the quorum may have failed to start
    }
    cancelResend = countOpen(committees, tracked) > 0 ? clock.after(CHUNK_RESEND_MS, resend) : undefined;
  }

  return {
    track,
    onAck,
    forget(hex) {
      if (tracked.delete(hex)) counts.unneeded++;
    },
    counts: () => ({ ...counts }),
    get uncertified() {
      return tracked.size;
    },
    get uncertifiedOpen() {
      return countOpen(committees, tracked);
    },
    stop() {
      cancelResend?.();
      tracked.clear();
    },
  };
}

/** Of the current epoch. */
function isOpenIn({ current }: Committees, { chunk }: Tracked): boolean {
  return chunk.header.epoch === current.epoch;
}

/** Asked for each transaction. */
function countOpen(committees: Committees, tracked: ReadonlyMap<string, Tracked>): number {
  let count = 0;
  for (const entry of tracked.values()) if (isOpenIn(committees, entry)) count++;
  return count;
}

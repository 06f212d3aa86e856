/**
 * Certifier: from the storage acks of own chunks to certificates (D12).
 *
 *   track --> acks, unverified, one slot for each validator --> quorum: ONE aggregate check --> certificate
 *               ^-- chunk sent again to those without           \--bad--> offenders reported; quorum again
 *
 * The own ack of a chunk that asks for none is signed when another ack comes, or the chunk is due here (D21).
 *
 * The committee of a chunk's epoch judges its acks, also once the epoch is closed. Then the chunk is not sent again (D19).
 */
import { createQuorumBuffer, type QuorumBuffer } from '@slipstream/crypto';
import type { Clock, FrameSender, PeerKey, Signer, Telemetry, Verifier } from '@slipstream/ports';
import { assert, type Durable } from '@slipstream/primitives';
import {
  type ChunkCertificate,
  type ChunkId,
  chunkAckMessage,
  decodeFrame,
  type Epoch,
  type GenesisHash,
  hexOf,
} from '@slipstream/types';
import { blocksWaitMs } from '../chunks/ack-schedule.ts';
import type { ChunkWire } from '../chunks/chunk-wire.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Reports } from '../components.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import type { Committees, EpochCommittee } from '../epochs/committees.ts';
import type { DisseminationEvents } from '../events.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';
import { createChunkResend, type TrackedChunk } from './chunk-resend.ts';

export interface Certifier {
  /** An own chunk: header and own ack are durable. */
  track(chunk: StoredChunk, ownAck: OwnAck): void;
  /** A `chunkAck` frame with its kind byte. */
  onAck(from: PeerKey, frame: Uint8Array): void;
  /** Signs and adds the own ack. No effect without such a chunk. */
  acknowledge(hex: string): Promise<void>;
  /** Committed or gone. */
  forget(hex: string): void;
  /** Own chunks. */
  readonly uncertified: number;
  /** Those of the current epoch that no known block references. */
  readonly waiting: number;
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
  /** Undefined: not signed yet. */
  readonly signature: Uint8Array | undefined;
}

interface CertifierParts {
  signerOf(epoch: Epoch): Signer | undefined;
  readonly verifier: Pick<Verifier, 'checkQuorum'>;
  readonly transport: FrameSender;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly reports: Reports;
  readonly wire: ChunkWire;
  readonly events: Pick<DisseminationEvents, 'ownChunkCertified'>;
  /** A chunk no longer pending gets no acks, so its place would never be freed. */
  isPending(hex: string): boolean;
  readonly references: Pick<ChunkReferences, 'isReferenced'>;
  readonly committees: Committees;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
}

export function createCertifier(
  parts: CertifierParts,
  { genesisHash }: { readonly genesisHash: GenesisHash },
): Certifier {
  const { verifier, transport, clock, telemetry, reports, wire, events, isPending, committees } = parts;
  const tracked = new Map<string, TrackedChunk>();
  const counts = { produced: 0, transactions: 0, certified: 0, unneeded: 0 };
  // An earlier check of the quorum may have failed to start.
  const resend = createChunkResend({ ...parts, tracked, resent: check });

  function track(chunk: StoredChunk, { chunkId, signature }: OwnAck): void {
    if (tracked.has(chunk.hex) || !isPending(chunk.hex)) return;
    const committee = committees.of(chunk.header.epoch);
    if (committee === undefined) return; // over since the chunk was made
    const buffer = bufferOf(committee, genesisHash);
    const nowMs = clock.monotonicMs();
    const frame = wire.frameOf(chunkId, chunk.bytes);
    const acksFromMs = nowMs + (chunk.header.acksWanted ? 0 : blocksWaitMs(parts.blockInterval));
    const entry = { chunk, committee, frame, buffer, sentMs: nowMs, acksFromMs, resentMs: nowMs, hasOwnAck: false };
    tracked.set(chunk.hex, entry);
    counts.produced++;
    counts.transactions += chunk.ids.length;
    transport.broadcast('chunk', entry.frame);
    resend.start();
    if (signature !== undefined) addOwnAck(entry, signature);
  }

  function addOwnAck(entry: TrackedChunk, signature: Uint8Array): void {
    const { id, hex, header } = entry.chunk;
    entry.hasOwnAck = true;
    entry.buffer.add({ signer: header.producer, messageKey: hex, message: id, signature, verified: true });
    check(entry);
  }

  async function acknowledge(hex: string): Promise<void> {
    const entry = tracked.get(hex);
    if (entry === undefined || entry.hasOwnAck) return;
    const { id, header } = entry.chunk;
    const signer = parts.signerOf(header.epoch);
    if (signer === undefined) return;
    entry.hasOwnAck = true;
    const [signature] = await signer.sign([chunkAckMessage(genesisHash, header.epoch, id)]);
    assert(signature !== undefined, 'a signer gives one signature a message');
    if (tracked.get(hex) === entry) addOwnAck(entry, signature);
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
    acknowledge(chunk.hex).catch((cause) => reports.failed?.(cause));
    check(entry);
  }

  function check(entry: TrackedChunk): void {
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

  function finish({ chunk, sentMs }: TrackedChunk, { signers, aggregate }: Omit<ChunkCertificate, 'epoch'>): void {
    tracked.delete(chunk.hex);
    counts.certified++;
    events.ownChunkCertified(chunk, { epoch: chunk.header.epoch, signers, aggregate }, clock.monotonicMs() - sentMs);
  }

  return {
    track,
    onAck,
    acknowledge,
    forget(hex) {
      if (tracked.delete(hex)) counts.unneeded++;
    },
    counts: () => ({ ...counts }),
    get uncertified() {
      return tracked.size;
    },
    get waiting() {
      return resend.waiting;
    },
    stop() {
      resend.stop();
      tracked.clear();
    },
  };
}

function bufferOf({ epoch, members }: EpochCommittee, genesisHash: GenesisHash): QuorumBuffer<ChunkId> {
  return createQuorumBuffer<ChunkId>({
    epoch,
    weights: members.map(({ weight }) => weight),
    signedBytes: (id) => chunkAckMessage(genesisHash, epoch, id),
  });
}

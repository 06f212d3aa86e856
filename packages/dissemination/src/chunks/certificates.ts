/**
 * Certificates: the chunk certificates that hold, as far as this node knows; each is verified once, and only where it is needed.
 *
 *   own, in a block, of a chunk that is not here --> quorum of signers? --> known? --> verify --> kept until the chunk is committed
 *   of a chunk that is here, from its producer   --> claimed --claimMs or two blocks later, if none has it by then--^
 *
 * A validator that holds a chunk rests nothing on its certificate while leaders reference chunks without (optimism.ts): the
 * notarization of that block shows more. A pairing check of it costs as much as thirty transactions. What is claimed counts for
 * nothing; it is verified for those who wait for the notice, and for leaders in trouble, when the block is not there in time.
 */
import type { Clock, PeerKey, Priority, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type ChunkCertificate,
  type ChunkId,
  type Committee,
  chunkAckMessage,
  decodeFrame,
  type GenesisHash,
  hexOf,
  isQuorum,
  weightOf,
} from '@slipstream/types';
import type { Reports } from '../components.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { UncertifiedReferences } from '../proposals/uncertified-references.ts';
import type { ChunkStore } from './chunk-store.ts';

export interface Certificates {
  /** A `chunkCertified` frame, kind byte included. Settles when it is judged. */
  onFrame(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** One that was formed here. */
  add(chunkId: ChunkId, certificate: ChunkCertificate): void;
  of(hex: string): ChunkCertificate | undefined;
  /** Undefined when it holds, else what is wrong with it. */
  faultOf(chunkId: ChunkId, certificate: ChunkCertificate): Promise<string | undefined>;
  forget(hex: string): void;
  stop(): void;
}

export interface CertificatesParts {
  readonly verifier: Pick<Verifier, 'checkCertificate'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly reports: Reports;
  readonly drops: DropCounter;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  /** By a block that may become final. */
  isReferenced(hex: string): boolean;
  /** Nobody asks for the certificate of a committed chunk any more. */
  readonly store: Pick<ChunkStore, 'get' | 'isCommitted'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'allowed'>;
  /** A chunk has a certificate now; called once a chunk. */
  certified(chunkId: ChunkId, certificate: ChunkCertificate): void;
}

export interface CertificatesSetting {
  readonly committee: Committee;
  readonly genesisHash: GenesisHash;
  readonly memberIndex: number | undefined;
}

interface DeferredCertificate {
  readonly chunkId: ChunkId;
  readonly certificate: ChunkCertificate;
  readonly from: PeerKey;
  readonly dueMs: number;
}

/** A chunk is in the next block, or the one after it. */
const DEFER_BLOCKS = 2;
const DEFER_MS_MAX = 1_500;

export function createCertificates(
  {
    verifier,
    clock,
    reports,
    drops,
    store,
    uncertifiedReferences,
    blockInterval,
    isReferenced,
    certified,
  }: CertificatesParts,
  { committee, genesisHash, memberIndex }: CertificatesSetting,
  {
    certificatesMax,
    certificateChecksMax,
    claimMs,
  }: Pick<DisseminationLimits, 'certificatesMax' | 'certificateChecksMax' | 'claimMs'>,
): Certificates {
  /** Oldest first. */
  const known = new Map<string, ChunkCertificate>();
  /** Unverified, of one sender each: the chunk's producer. */
  const deferred = new Map<string, DeferredCertificate>();
  /** For the claim that is due first: how long one waits changes with the rhythm of blocks. */
  let nextCheck: { readonly atMs: number; readonly cancel: () => void } | undefined;
  /** By sender: what is with the verifier. */
  const underCheck = new Map<PeerKey, Set<string>>(committee.members.map(({ peerKey }) => [peerKey, new Set()]));

  function addVerified(chunkId: ChunkId, { signers, aggregate }: ChunkCertificate): void {
    const hex = hexOf(chunkId);
    if (known.has(hex)) return;
    deferred.delete(hex);
    const certificate = { signers, aggregate: aggregate.slice() };
    known.set(hex, certificate);
    if (known.size > certificatesMax) known.delete(known.keys().next().value as string);
    certified(chunkId, certificate);
  }

  function hasQuorum({ signers }: ChunkCertificate): boolean {
    const last = signers[signers.length - 1];
    return last !== undefined && last < committee.members.length && isQuorum(weightOf(signers, committee), committee);
  }

  function isKnown(hex: string, { signers, aggregate }: ChunkCertificate): boolean {
    const had = known.get(hex);
    if (had === undefined || had.signers.length !== signers.length) return false;
    return had.signers.every((signer, i) => signer === signers[i]) && bytesEqual(had.aggregate, aggregate);
  }

  async function faultOf(
    chunkId: ChunkId,
    certificate: ChunkCertificate,
    priority: Priority = 'block',
  ): Promise<string | undefined> {
    if (!hasQuorum(certificate)) return 'a chunk certificate lacks a quorum';
    if (isKnown(hexOf(chunkId), certificate)) return undefined;
    const message = chunkAckMessage(genesisHash, chunkId);
    if (!(await verifier.checkCertificate({ message, ...certificate }, priority))) {
      return 'a chunk certificate does not hold';
    }
    addVerified(chunkId, certificate);
    return undefined;
  }

  async function onFrame(from: PeerKey, frame: Uint8Array): Promise<void> {
    const ofPeer = underCheck.get(from);
    if (ofPeer === undefined) return drops.add('certificate-not-from-validator');
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'chunkCertified') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a chunk certificate' : decoded.error.message);
      return;
    }
    const { chunkId, certificate } = decoded.value.value;
    const hex = hexOf(chunkId);
    // A bad one of another peer must not keep the good one out.
    if (known.has(hex) || store.isCommitted(hex) || deferred.has(hex) || ofPeer.has(hex)) return;
    const id = chunkId.slice() as ChunkId;
    if (hasQuorum(certificate) && deferred.size < certificatesMax && mayDefer(hex, from)) {
      const { signers, aggregate } = certificate;
      const waitMs = Math.max(claimMs, Math.min(DEFER_BLOCKS * blockInterval.intervalMs, DEFER_MS_MAX));
      const dueMs = clock.monotonicMs() + waitMs;
      deferred.set(hex, { chunkId: id, certificate: { signers, aggregate: aggregate.slice() }, from, dueMs });
      scheduleCheck(dueMs);
      return;
    }
    await verifyWithinQuota(hex, { chunkId: id, certificate, from });
  }

  /** A validator holds the chunk, and its producer says that others do: nobody needs to know for certain yet. */
  function mayDefer(hex: string, from: PeerKey): boolean {
    const producer = store.get(hex)?.header.producer;
    const isOfProducer = producer !== undefined && committee.members[producer]?.peerKey === from;
    return memberIndex !== undefined && isOfProducer && uncertifiedReferences.allowed;
  }

  type Sent = Pick<DeferredCertificate, 'chunkId' | 'certificate' | 'from'>;

  async function verifyWithinQuota(hex: string, sent: Sent): Promise<void> {
    const ofPeer = underCheck.get(sent.from);
    if (ofPeer === undefined || ofPeer.size >= certificateChecksMax) return drops.add('certificate-quota');
    ofPeer.add(hex);
    await verify(hex, sent).finally(() => ofPeer.delete(hex));
  }

  async function verify(hex: string, { chunkId, certificate, from }: Sent): Promise<void> {
    const fault = await faultOf(chunkId, certificate, 'chunk');
    if (fault !== undefined) reports.offence(from, 'invalid-certificate', `of chunk ${hex}: ${fault}`);
  }

  function scheduleCheck(atMs: number): void {
    if (nextCheck !== undefined && nextCheck.atMs <= atMs) return;
    nextCheck?.cancel();
    nextCheck = { atMs, cancel: clock.after(Math.max(0, atMs - clock.monotonicMs()), checkDue) };
  }

  /** Claims that no block has settled in time. */
  function checkDue(): void {
    nextCheck = undefined;
    const nowMs = clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [hex, claim] of deferred) {
      if (claim.dueMs > nowMs) {
        nextMs = Math.min(nextMs, claim.dueMs);
        continue;
      }
      deferred.delete(hex);
      // The verifier's owner knows when it stopped.
      if (!isReferenced(hex)) verifyWithinQuota(hex, claim).catch(() => {});
    }
    if (nextMs < Number.POSITIVE_INFINITY) scheduleCheck(nextMs);
  }

  return {
    onFrame,
    add: addVerified,
    of: (hex) => known.get(hex),
    faultOf,
    forget(hex) {
      known.delete(hex);
      deferred.delete(hex);
    },
    stop: () => nextCheck?.cancel(),
  };
}

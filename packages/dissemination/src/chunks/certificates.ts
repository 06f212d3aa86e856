/**
 * Certificates: the valid chunk certificates. Each is verified once, and only when something depends on it (D13).
 *
 *   own, in a block, of a missing chunk   --> quorum of signers? --> known? --> verify --> retained until commit
 *   of a stored chunk, from its producer  --> deferred --if no block has the chunk by then, or a client waits--^
 *
 * A deferred certificate counts for nothing: the notarization of a block with its chunk shows more. Without such a block it is verified
 * for leaders that need it. A client that waits for attestation gets it verified at once.
 */
import type { Clock, PeerKey, Priority, Verifier } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  type ChunkCertificate,
  type ChunkId,
  chunkAckMessage,
  decodeFrame,
  type GenesisHash,
  hexOf,
  isQuorum,
  weightOf,
} from '@slipstream/types';
import type { Reports } from '../components.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import type { Committees, EpochCommittee, ValidatorName } from '../epochs/committees.ts';
import type { DisseminationEvents } from '../events.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';
import type { UncertifiedReferences } from '../proposals/uncertified-references.ts';
import type { AttestationWaits } from './attestation-waits.ts';
import type { ChunkStore } from './chunk-store.ts';
import { createDeferredByChunk } from './deferred-by-chunk.ts';

interface CertifiedChunk {
  readonly chunkId: ChunkId;
  readonly certificate: ChunkCertificate;
}

interface SentCertificate extends CertifiedChunk {
  readonly from: PeerKey;
}

export interface Certificates {
  /** A `chunkCertified` frame with its kind byte. Settles when the certificate is verified, deferred or dropped. */
  onFrame(from: PeerKey, frame: Uint8Array): Promise<void>;
  /** Formed here. */
  add(chunkId: ChunkId, certificate: ChunkCertificate): void;
  of(hex: string): ChunkCertificate | undefined;
  /** Of a block, checked as one batch. Undefined: all hold. */
  faultOf(certified: readonly CertifiedChunk[]): Promise<string | undefined>;
  /** A client waits for it. No effect without a deferred certificate. */
  verifyDeferred(hex: string): void;
  forget(hex: string): void;
  stop(): void;
}

interface CertificatesParts {
  readonly verifier: Pick<Verifier, 'checkBatch'>;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly reports: Reports;
  readonly drops: DropCounter;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  readonly references: Pick<ChunkReferences, 'isReferenced'>;
  readonly store: Pick<ChunkStore, 'get' | 'isCommitted'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'allowed' | 'suspendedAtPeer'>;
  readonly waits: Pick<AttestationWaits, 'hasAny'>;
  readonly events: Pick<DisseminationEvents, 'chunkCertified'>;
  readonly committees: Pick<Committees, 'of' | 'current' | 'validatorOf' | 'producerOf'>;
}

interface CertificatesSetting {
  readonly genesisHash: GenesisHash;
}

/** A chunk is usually in one of the next two blocks. */
const DEFER_BLOCKS = 2;
const DEFER_MS_MAX = 1_500;

export function createCertificates(
  parts: CertificatesParts,
  { genesisHash }: CertificatesSetting,
  limits: Pick<DisseminationLimits, 'certificatesMax' | 'certificateChecksMax' | 'certificateDeferMs'>,
): Certificates {
  const { verifier, clock, reports, drops, store, uncertifiedReferences, blockInterval, events, committees } = parts;
  const { isReferenced: isUnneeded } = parts.references;
  /** Oldest first. */
  const known = new Map<string, ChunkCertificate>();
  /** Chunks whose certificate is being verified, by sender. */
  const underCheck = new Map<ValidatorName, Set<string>>();
  const deferred = createDeferredByChunk<SentCertificate>({ clock, isUnneeded, onDue: verifySoon });

  function addVerified(chunkId: ChunkId, { epoch, signers, aggregate }: ChunkCertificate): void {
    const hex = hexOf(chunkId);
    if (known.has(hex)) return;
    deferred.forget(hex);
    const certificate = { epoch, signers, aggregate: aggregate.slice() };
    known.set(hex, certificate);
    if (known.size > limits.certificatesMax) known.delete(known.keys().next().value as string);
    events.chunkCertified(chunkId, certificate);
  }

  function isKnown(hex: string, { epoch, signers, aggregate }: ChunkCertificate): boolean {
    const had = known.get(hex);
    if (had === undefined || had.epoch !== epoch || had.signers.length !== signers.length) return false;
    return had.signers.every((signer, i) => signer === signers[i]) && bytesEqual(had.aggregate, aggregate);
  }

  async function faultOf(
    certified: readonly CertifiedChunk[],
    priority: Priority = 'block',
  ): Promise<string | undefined> {
    for (const { certificate } of certified) {
      const committee = committees.of(certificate.epoch);
      if (committee === undefined) return 'a chunk certificate is of an epoch that is not known or over';
      if (!hasQuorum(certificate, committee)) return 'a chunk certificate lacks a quorum';
    }
    const asked = certified.filter(({ chunkId, certificate }) => !isKnown(hexOf(chunkId), certificate));
    if (asked.length === 0) return undefined;
    const batch = asked.map(({ chunkId, certificate }) => {
      const message = chunkAckMessage(genesisHash, certificate.epoch, chunkId);
      return { kind: 'certificate', message, ...certificate } as const;
    });
    const answers = await verifier.checkBatch(batch, priority);
    for (const [at, { chunkId, certificate }] of asked.entries()) if (answers[at]) addVerified(chunkId, certificate);
    return answers.every(Boolean) ? undefined : 'a chunk certificate does not hold';
  }

  async function onFrame(from: PeerKey, frame: Uint8Array): Promise<void> {
    const sender = committees.validatorOf(from);
    if (sender === undefined) return drops.add('certificate-not-from-validator');
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'chunkCertified') {
      reports.offence(from, 'malformed-frame', decoded.ok ? 'not a chunk certificate' : decoded.error.message);
      return;
    }
    const { chunkId, certificate, suspendedMs } = decoded.value.value;
    if (committees.current.indexOf(from) !== undefined) uncertifiedReferences.suspendedAtPeer(suspendedMs);
    const hex = hexOf(chunkId);
    const committee = committees.of(certificate.epoch);
    if (committee === undefined) return drops.add('certificate-foreign-epoch');
    // By sender: one peer's bad certificate must not keep out another's good one.
    if (known.has(hex) || store.isCommitted(hex) || deferred.has(hex) || underCheck.get(sender)?.has(hex)) return;
    const id = chunkId.slice() as ChunkId;
    if (hasQuorum(certificate, committee) && deferred.size < limits.certificatesMax && mayDefer(hex, from, committee)) {
      const { epoch, signers, aggregate } = certificate;
      const waitMs = Math.max(
        limits.certificateDeferMs,
        Math.min(DEFER_BLOCKS * blockInterval.intervalMs, DEFER_MS_MAX),
      );
      const copy = { epoch, signers, aggregate: aggregate.slice() };
      deferred.add(hex, { chunkId: id, certificate: copy, from }, waitMs);
      return;
    }
    await verifyWithinQuota(hex, { chunkId: id, certificate, from });
  }

  /** A validator that holds the chunk depends on no certificate for it; its clients may. */
  function mayDefer(hex: string, from: PeerKey, { epoch, indexOf }: EpochCommittee): boolean {
    const chunk = store.get(hex);
    if (chunk?.header.epoch !== epoch || indexOf(from) !== chunk.header.producer) return false;
    return committees.current.self !== undefined && uncertifiedReferences.allowed && !parts.waits.hasAny(chunk.ids);
  }

  function verifySoon(hex: string, sent: SentCertificate): void {
    // A verifier that stopped rejects; its owner knows.
    verifyWithinQuota(hex, sent).catch(() => {});
  }

  async function verifyWithinQuota(hex: string, sent: SentCertificate): Promise<void> {
    const sender = committees.validatorOf(sent.from);
    if (sender === undefined) return drops.add('certificate-not-from-validator');
    const ofSender = underCheck.get(sender) ?? new Set();
    if (ofSender.size >= limits.certificateChecksMax) return drops.add('certificate-quota');
    underCheck.set(sender, ofSender.add(hex));
    await verify(hex, sent).finally(() => {
      ofSender.delete(hex);
      if (ofSender.size === 0) underCheck.delete(sender);
    });
  }

  async function verify(hex: string, { chunkId, certificate, from }: SentCertificate): Promise<void> {
    if (committees.of(certificate.epoch) === undefined) return; // over since it came
    const fault = await faultOf([{ chunkId, certificate }], 'chunk');
    if (fault !== undefined) reports.offence(from, 'invalid-certificate', `of chunk ${hex}: ${fault}`);
  }

  return {
    onFrame,
    add: addVerified,
    of: (hex) => known.get(hex),
    faultOf,
    verifyDeferred(hex) {
      const sent = deferred.take(hex);
      if (sent) verifySoon(hex, sent);
    },
    forget(hex) {
      known.delete(hex);
      deferred.forget(hex);
    },
    stop: deferred.stop,
  };
}

function hasQuorum({ signers }: ChunkCertificate, committee: EpochCommittee): boolean {
  const last = signers[signers.length - 1];
  return last !== undefined && last < committee.members.length && isQuorum(weightOf(signers, committee), committee);
}

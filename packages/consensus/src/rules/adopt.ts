/**
 * Certificates: received, verified once, adopted (rules 1, 8, 9).
 *
 *   received --known?--> ignored
 *      \--new--> verify --> adopt --> log, store, final?, state? --> the other rules read the store
 */
import type { PeerKey } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import { type Certificate, hasQuorumOfSigners, hexOf, type StateCertificate, subjectMessage } from '@slipstream/types';
import { blockPeer, type Context, emit, isOfEpoch, report } from '../context.ts';
import type { Sender } from '../verifications.ts';
import { type BufferId, bufferKeyOf } from '../vote-buffers.ts';
import { isOfInterest } from './closing.ts';

/** A state certificate replaces a Finalization: both make the block final (rule 8). */
export function replacementOf({ kind, view }: BufferId): BufferId | undefined {
  return kind === 'finalize' ? { kind: 'certify', view } : undefined;
}

/** What a certificate of this kind and view proves is known already. */
export function isShown({ certificates }: Context, id: BufferId): boolean {
  const replacement = replacementOf(id);
  return certificates.holds(id) || (replacement !== undefined && certificates.holds(replacement));
}

/** Rule 9: of the current view or later, or above the last final one; state certificates also when they raise the height. */
function isRelevant(context: Context, certificate: Certificate): boolean {
  const { subject } = certificate;
  if (isShown(context, subject)) return false;
  if (subject.kind === 'certify' && subject.height > context.lastState.height) return true;
  return subject.view >= context.view || subject.view > context.lastFinal.view;
}

export function onCertificate(context: Context, certificate: Certificate, sender: Sender): void {
  if (!isOfEpoch(context, certificate.subject) || !isOfInterest(context, certificate.subject)) return;
  // First, because a long signer list multiplies the cost of decoding.
  if (!hasQuorumOfSigners(certificate, context.setting.committee)) {
    if (sender !== 'self') {
      blockPeer(
        context,
        sender,
        'invalid-certificate',
        `${certificate.subject.kind} certificate without a quorum of signers`,
      );
    }
    return;
  }
  if (!isRelevant(context, certificate)) return;
  const { subject } = certificate;
  if (context.verifications.isChecking(subject)) context.verifications.wait(subject, sender, certificate);
  else verifyCertificate(context, certificate, sender);
}

function verifyCertificate(context: Context, certificate: Certificate, sender: Sender): void {
  const token = context.verifications.begin(sender, { type: 'certificate', certificate });
  if (token === undefined) return;
  const { subject, signers, aggregate } = certificate;
  const message = subjectMessage(context.setting.genesisHash, subject);
  const request = { epoch: subject.epoch, message, signers, aggregate };
  emit(context, { type: 'verify', token, request: { type: 'certificate', request } });
}

/** Blocks the sender of an invalid certificate and tries the next waiting one. */
export function onCertificateVerified(
  context: Context,
  certificate: Certificate,
  sender: Sender,
  valid: boolean,
): void {
  const { subject } = certificate;
  if (valid) {
    context.verifications.dropWaiting(subject);
    adopt(context, certificate);
    return;
  }
  if (sender !== 'self') {
    blockPeer(context, sender as PeerKey, 'invalid-certificate', `bad signature on ${bufferKeyOf(subject)}`);
  }
  tryNext(context, subject);
}

/**
 * After a failed check: tries the next waiting certificate and the received votes, also those that the certificate would have replaced.
 * Skips certificates of senders with too many checks under way.
 */
export function tryNext(context: Context, { kind, view }: BufferId): void {
  while (!context.verifications.isChecking({ kind, view })) {
    const next = context.verifications.nextWaiting({ kind, view });
    if (!next) break;
    onCertificate(context, next.certificate, next.sender);
  }
  checkLater(context, { kind, view });
  if (kind === 'certify') checkLater(context, { kind: 'finalize', view });
}

/** At the end of the step, for a quorum in this buffer. */
export function checkLater({ toCheck }: Context, { kind, view }: BufferId): void {
  toCheck.set(bufferKeyOf({ kind, view }), { kind, view });
}

/** For a certificate that was verified elsewhere. */
export function adoptIfNew(context: Context, certificate: Certificate): void {
  if (isRelevant(context, certificate)) adopt(context, certificate);
}

/** The certificate is verified. */
export function adopt(context: Context, certificate: Certificate): void {
  if (!isOfInterest(context, certificate.subject) || !context.certificates.add(certificate)) return;
  emit(context, { type: 'persist-certificate', certificate });
  noteSignersActive(context, certificate);
  learn(context, certificate);
}

/** A full node receives no messages of most members; their signatures count as activity. */
function noteSignersActive(context: Context, { signers }: Certificate): void {
  if (context.setting.self !== undefined) return;
  for (const signer of signers) context.lastMessageMs[signer] = context.nowMs;
}

/** The certificate is adopted or restored. */
export function learn(context: Context, certificate: Certificate): void {
  const { subject } = certificate;
  switch (subject.kind) {
    case 'nullify':
      report(context, 'view.nullified', { view: subject.view, leader: context.leaderOf(subject.view) });
      return;
    case 'notarize':
      context.toFinalize.set(subject.view, subject.blockId);
      emit(context, { type: 'notarized', blockId: subject.blockId });
      report(context, 'block.notarized', {
        epoch: subject.epoch,
        view: subject.view,
        height: context.tree.get(subject.blockId)?.block.height,
        blockId: hexOf(subject.blockId),
        signers: certificate.signers,
      });
      return;
    case 'finalize':
      context.toFinalize.set(subject.view, subject.blockId);
      makeFinal(context, certificate as Certificate<typeof subject>);
      return;
    case 'certify':
      context.toFinalize.set(subject.view, subject.blockId);
      makeFinal(context, certificate as StateCertificate);
      learnState(context, certificate as StateCertificate);
      return;
    default:
      return unreachable(subject, 'subject');
  }
}

function makeFinal(context: Context, certificate: NonNullable<Context['lastFinal']['certificate']>): void {
  const { subject } = certificate;
  if (subject.view < context.lastFinal.view) return;
  if (subject.view === context.lastFinal.view) {
    context.lastFinal.certificate ??= certificate;
    return;
  }
  context.lastFinal = { view: subject.view, blockId: subject.blockId, knownMs: context.nowMs, certificate };
  context.pacemaker.finalized();
  for (const view of context.toFinalize.keys()) {
    if (view < subject.view) context.toFinalize.delete(view);
  }
}

function learnState(context: Context, certificate: StateCertificate): void {
  const { subject } = certificate;
  emit(context, { type: 'certified', certificate });
  if (subject.height <= context.lastState.height) return;
  context.lastState = { view: subject.view, height: subject.height, certificate };
  report(context, 'block.certified', {
    view: subject.view,
    height: subject.height,
    blockId: hexOf(subject.blockId),
    stateDigest: hexOf(subject.stateDigest),
    signers: certificate.signers,
  });
}

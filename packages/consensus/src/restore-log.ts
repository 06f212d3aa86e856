/** Restoring a core from its log. */
import { view as asView, blockIdOf, type Proposal, type StateCertificate } from '@slipstream/types';
import { type Context, emit } from './context.ts';
import { learn } from './rules/adopt.ts';
import { addVote } from './rules/take-votes.ts';
import { enterViews, startView } from './rules/views.ts';

/** Rebuilds the stores from the log. Own marks come first, so that nothing is decided twice (I1, I2, I5). */
export function restoreLog(context: Context): void {
  const { restored, root, self } = context.setting;
  for (const vote of restored.votes) {
    const { subject } = vote;
    const known = subject.kind === 'certify' && context.own.hasCertified(subject.view, subject.blockId);
    if (!known) context.own.decide(subject);
    context.own.keep(vote);
  }
  for (const proposal of restored.proposals) {
    const { block, kind, justification, signature } = proposal;
    const blockId = proposalBlockId(context, proposal);
    context.own.decideProposal(block.view, kind, blockId);
    context.own.keepProposal(proposal);
    context.proposals.add({
      kind,
      view: block.view,
      blockId,
      block,
      signature,
      justification,
      verified: true,
      asked: false,
    });
  }
  for (const { blockId, block } of restored.blocks) {
    if (block.height > root.block.height) context.tree.add(blockId, block, context.nowMs).logged = true;
  }
  const certificates = [...(root.certificate ? [root.certificate] : []), ...restored.certificates];
  for (const certificate of certificates) {
    // The root's own certificate adds nothing; a descendant's does.
    const isNew = context.certificates.add(certificate);
    if (isNew && (certificate !== root.certificate || certificate.subject.view > root.block.view)) {
      learn(context, certificate);
    }
  }
  context.effects.splice(0);
  for (const certificate of certificates) {
    if (certificate.subject.kind === 'certify') {
      emit(context, { type: 'certified', certificate: certificate as StateCertificate });
    }
  }
  if (self !== undefined) for (const vote of restored.votes) addVote(context, vote, true);
  const impliedByOwn = asView(Math.max(context.view, context.own.highestEnteredView));
  if (impliedByOwn > context.view) context.view = impliedByOwn;
  const highest = context.certificates.highest();
  if (highest?.view === context.view - 1) context.entry = highest.certificate;
  startView(context);
  enterViews(context);
  context.outbox.certificates.length = 0;
}

function proposalBlockId(context: Context, { block }: Proposal) {
  const known = context.setting.restored.blocks.find((entry) => entry.block === block);
  return known?.blockId ?? blockIdOf(block);
}

/**
 * What no honest leader proposes in a view, whatever its knowledge: decided from the block alone.
 *
 * A confirmation names its block by id, and the body may come later and from any peer. The body is checked before it becomes a candidate:
 *
 *   confirmation of id in view v --body here--> of view v, by its leader, well-formed? --yes--> candidate with a body
 *               \--not yet--> wanted ---^                                       \--no--> no candidate; the leader is blocked
 *
 * SAFETY. Without the check a leader could get votes for a block of an earlier view in its own view, although no view between is
 * nullified.
 *
 * LIVENESS. An honest leader confirms the block that it made for this view, also after a restart, because its log holds that block.
 * The id is a hash of the whole body, so a serving peer cannot substitute another. A confirmation is accepted only from the leader's
 * own connection. So only a lying leader is blocked.
 */
import { bytesEqual } from '@slipstream/primitives';
import { type Block, hexOf, type ProposalKind, payloadRootOf, type View } from '@slipstream/types';
import { blockMember, type Context } from '../context.ts';
import type { Candidate } from '../proposal-store.ts';

export function proposalFault(kind: ProposalKind, block: Block): string | undefined {
  if (block.height < 1) return 'height below 1';
  if (block.parentView >= block.view) return 'parent is not of an earlier view';
  if (kind === 'optimistic' && block.parentView !== block.view - 1)
    return 'optimistic child of another view than the last';
  const ids = block.payload.map(({ chunkId }) => hexOf(chunkId));
  if (new Set(ids).size !== ids.length) return 'a chunk is referenced twice';
  if (!bytesEqual(payloadRootOf(block.payload), block.payloadRoot)) return 'payload root does not match the payload';
  return undefined;
}

/** The relation of a block to its parent (rule 4). */
export function follows(block: Block, { height, view, timestampMs }: Block): boolean {
  return block.height === height + 1 && block.parentView === view && block.timestampMs > timestampMs;
}

/** True for a block of this view by its leader. */
export function isOfView({ leaderOf }: Pick<Context, 'leaderOf'>, block: Block, view: View): boolean {
  return block.view === view && block.proposer === leaderOf(view);
}

/** The fault of this block as the target of a confirmation in this view. */
function confirmationFault(context: Context, view: View, block: Block): string | undefined {
  if (isOfView(context, block, view)) return proposalFault('normal', block);
  return `a block of view ${block.view} by member ${block.proposer}`;
}

/** False when the leader confirmed a block that is not legal in this view; the leader is then blocked. */
export function mayBeConfirmed(context: Context, view: View, block: Block): boolean {
  const fault = confirmationFault(context, view, block);
  if (fault === undefined) return true;
  blockMember(context, context.leaderOf(view), 'malformed-frame', `confirmation in view ${view}: ${fault}`);
  return false;
}

/** Called when the body of a confirmed block arrives. */
export function fitBody(context: Context, candidate: Candidate, block: Block): void {
  if (mayBeConfirmed(context, candidate.view, block)) candidate.block = block;
  else context.proposals.remove(candidate);
}

/** Completes the confirmed candidates of the current view with bodies that arrived by any way. */
export function fitBodies(context: Context): void {
  for (const candidate of context.proposals.candidates(context.view)) {
    const block = candidate.block ? undefined : context.tree.get(candidate.blockId)?.block;
    if (block) fitBody(context, candidate, block);
  }
}

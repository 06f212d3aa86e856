/**
 * What no honest leader proposes in a view, decided from the block alone.
 *
 * A confirmation names its block by id; the body may come later and from any peer. It is checked before it becomes a candidate:
 *
 *   confirmation of id in view v --body here--> of view v, by its leader, well-formed? --yes--> candidate with a body
 *               \--not yet--> wanted ---^                                       \--no--> no candidate; the leader is blocked
 *
 * SAFETY. Otherwise a leader could get votes for a block of an earlier view, although no view between is nullified.
 *
 * LIVENESS. Only a lying leader is blocked: an honest one has its block of this view in its log, the id is a hash of the whole body, and
 * only the leader's own connection may confirm.
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

/** Rule 4. */
export function follows(block: Block, { height, view, timestampMs }: Block): boolean {
  return block.height === height + 1 && block.parentView === view && block.timestampMs > timestampMs;
}

/** Of this view, by its leader. */
export function isOfView({ leaderOf }: Pick<Context, 'leaderOf'>, block: Block, view: View): boolean {
  return block.view === view && block.proposer === leaderOf(view);
}

/** The fault of this block as one confirmed in this view. */
function confirmationFault(context: Context, view: View, block: Block): string | undefined {
  if (isOfView(context, block, view)) return proposalFault('normal', block);
  return `a block of view ${block.view} by member ${block.proposer}`;
}

/** False when the block is not legal in this view; blocks the leader that confirmed it. */
export function mayBeConfirmed(context: Context, view: View, block: Block): boolean {
  const fault = confirmationFault(context, view, block);
  if (fault === undefined) return true;
  blockMember(context, context.leaderOf(view), 'malformed-frame', `confirmation in view ${view}: ${fault}`);
  return false;
}

/** Called when a confirmed block's body arrives. */
export function fitBody(context: Context, candidate: Candidate, block: Block): void {
  if (mayBeConfirmed(context, candidate.view, block)) candidate.block = block;
  else context.proposals.remove(candidate);
}

/** For bodies that arrived by any way. */
export function fitBodies(context: Context): void {
  for (const candidate of context.proposals.candidates(context.view)) {
    const block = candidate.block ? undefined : context.tree.get(candidate.blockId)?.block;
    if (block) fitBody(context, candidate, block);
  }
}

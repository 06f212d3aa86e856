/**
 * What no honest leader proposes in a view, whatever it knows: told from the block alone.
 *
 * A confirmation names its block by id, and the body may come later and from anybody. It is a candidate only once it fits:
 *
 *   confirmation of id in view v --body here--> of view v, by its leader, well-formed? --yes--> candidate with a body
 *               \--not yet--> wanted ---^                                       \--no--> no candidate; the leader is blocked
 *
 * SAFETY. Without it a leader could have a block of an earlier view voted for in its own, past views between that nobody nullified.
 *
 * LIVENESS. An honest leader confirms the block that it made for this very view, also after a restart, for that one is in its log.
 * The id is a hash of all of the body, so whoever serves it can bring no other one; and a confirmation is taken from the leader's
 * own connection alone. So nobody but a leader that lies is blocked.
 */
import { bytesEqual } from '@slipstream/primitives';
import { type Block, hexOf, type ProposalKind, payloadRootOf, type View } from '@slipstream/types';
import { blockMember, type Context } from '../context.ts';
import type { Candidate } from '../proposal-store.ts';

/** Undefined when nothing is wrong. */
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

/** What every block has of its parent's (rule 4). */
export function follows(block: Block, { height, view, timestampMs }: Block): boolean {
  return block.height === height + 1 && block.parentView === view && block.timestampMs > timestampMs;
}

/** Of this view, and by the member that leads it. */
export function isOfView({ leaderOf }: Pick<Context, 'leaderOf'>, block: Block, view: View): boolean {
  return block.view === view && block.proposer === leaderOf(view);
}

/** What is wrong with this block as what a confirmation of this view names. */
function confirmationFault(context: Context, view: View, block: Block): string | undefined {
  if (isOfView(context, block, view)) return proposalFault('normal', block);
  return `a block of view ${block.view} by member ${block.proposer}`;
}

/** False when the leader of the view confirmed what it may not propose in it: it is blocked. */
export function mayBeConfirmed(context: Context, view: View, block: Block): boolean {
  const fault = confirmationFault(context, view, block);
  if (fault === undefined) return true;
  blockMember(context, context.leaderOf(view), 'malformed-frame', `confirmation in view ${view}: ${fault}`);
  return false;
}

/** The body of what was confirmed came. */
export function fitBody(context: Context, candidate: Candidate, block: Block): void {
  if (mayBeConfirmed(context, candidate.view, block)) candidate.block = block;
  else context.proposals.remove(candidate);
}

/** Bodies that came meanwhile, however they did, of what is confirmed in the current view. */
export function fitBodies(context: Context): void {
  for (const candidate of context.proposals.candidates(context.view)) {
    const block = candidate.block ? undefined : context.tree.get(candidate.blockId)?.block;
    if (block) fitBody(context, candidate, block);
  }
}

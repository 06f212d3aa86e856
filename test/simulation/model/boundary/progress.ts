/**
 * Of every state: the epoch can still end.
 *
 * From now on messages of honest members arrive, leaders are honest, and the Byzantine member sends nothing. So a quorum is all honest
 * members, and a certificate that no honest member holds, nor can form from honest votes alone, stays unknown.
 */
import { type BoundaryRules, isHeldFinal, isNotarizable, mayStandOn, notarizableIn } from './rules.ts';
import {
  allBut,
  areAll,
  type Block,
  type BoundaryState,
  blockAt,
  boundaryOf,
  Epoch,
  HONEST,
  hasView,
  Kind,
  membersIn,
  withMembers,
} from './state.ts';

export const OTHERS_NEVER_LEARN = 'members of the old epoch learn that it is over';
export const NOTHING_TO_PROPOSE = 'an honest leader finds a block to propose';
export const NEVER_ENDS = 'three views with honest leaders end the epoch';

/** A leader proposes the first that is allowed. */
const PREFERRED: readonly Kind[] = [Kind.closing, Kind.filler, Kind.plain];
const FRESH_VIEWS = 3;

/** Undefined: the epoch ends, or is over. */
export function stuckness(before: BoundaryState, rules: BoundaryRules): string | undefined {
  let state = shared(before, rules);
  const over = state.blocks.some(
    (_, block) => isHeldFinal(state, rules, block) && boundaryOf(state.blocks, block) !== 0,
  );
  if (over) return rules.movedMembersHelp ? undefined : OTHERS_NEVER_LEARN;
  // All time out in the view above the highest certificate, and nullify it.
  const lost = 1 + highestHeld(state, rules);
  state = { ...state, heldNullifications: state.heldNullifications | (1 << lost) };
  for (let view = lost + 1; view <= lost + FRESH_VIEWS; view++) {
    const block = proposalOf(state, rules, view);
    if (block === undefined) return NOTHING_TO_PROPOSE;
    state = withFinal(state, block);
    if (boundaryOf(state.blocks, state.blocks.length - 1) !== 0) return undefined;
  }
  return NEVER_ENDS;
}

/** Honest votes and held certificates have arrived everywhere, and what they allow is finalized. */
function shared(before: BoundaryState, rules: BoundaryRules): BoundaryState {
  let { finalize, heldNotarizations, heldNullifications, heldFinalizations } = before;
  for (let view = 1; view <= rules.views; view++) {
    const bit = 1 << view;
    const block = notarizableIn(before, Epoch.ending, view);
    const nullify = membersIn(before.nullify, view);
    if (areAll(nullify)) heldNullifications |= bit;
    if (block === -1) continue;
    if (areAll(blockAt(before.blocks, block).voters)) heldNotarizations |= bit;
    if (hasView(heldNotarizations, view)) finalize = withMembers(finalize, view, allBut(nullify));
    if (areAll(membersIn(finalize, view))) heldFinalizations |= bit;
  }
  return { ...before, finalize, heldNotarizations, heldNullifications, heldFinalizations };
}

function highestHeld(state: BoundaryState, { views }: BoundaryRules): number {
  const held = state.heldNotarizations | state.heldNullifications | state.heldFinalizations;
  for (let view = views; view > 0; view--) if (hasView(held, view)) return view;
  return 0;
}

/** The child of the highest block on which a child may stand, with every certificate held that rule 4 asks for. */
function proposalOf(state: BoundaryState, rules: BoundaryRules, view: number): Block | undefined {
  let best: Block | undefined;
  for (const [parent, { view: from }] of state.blocks.entries()) {
    if (best !== undefined && blockAt(state.blocks, best.parent).view >= from) continue;
    if (!isJustified(state, parent, view)) continue;
    const kind = PREFERRED.find((one) => mayStandOn(state, rules, parent, one));
    if (kind !== undefined) best = { epoch: Epoch.ending, view, parent, kind, voters: allBut(0) };
  }
  return best;
}

function isJustified(state: BoundaryState, parent: number, view: number): boolean {
  const { epoch, view: from } = blockAt(state.blocks, parent);
  const held = state.heldNotarizations | state.heldFinalizations;
  if (epoch !== Epoch.ending || (parent !== 0 && !hasView(held, from)) || !isNotarizable(state, parent)) return false;
  for (let between = from + 1; between < view; between++) {
    if (!hasView(state.heldNullifications, between)) return false;
  }
  return true;
}

/** All honest members vote for the block and finalize it. */
function withFinal(state: BoundaryState, block: Block): BoundaryState {
  const bit = 1 << block.view;
  return {
    ...state,
    blocks: [...state.blocks, block],
    finalize: withMembers(state.finalize, block.view, (1 << HONEST) - 1),
    heldNotarizations: state.heldNotarizations | bit,
    heldFinalizations: state.heldFinalizations | bit,
  };
}

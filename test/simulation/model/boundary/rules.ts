/** The rules of the boundary; each can be broken on purpose. */
import {
  allBut,
  type Block,
  type BoundaryState,
  blockAt,
  Epoch,
  hasView,
  heightOf,
  isQuorum,
  Kind,
  membersIn,
  onOneChain,
} from './state.ts';

export interface BoundaryRules {
  readonly views: number;
  /** 0: the next epoch is left out. */
  readonly nextViews: number;
  /** Members 0 up to this number are of both committees. */
  readonly staying: number;
  /** What may stand above a closing block. Payload counts: it is delivered. */
  readonly above: 'fillers' | 'fillers-and-payload' | 'nothing';
  /** What a closing block must be for the next epoch to begin on it. */
  readonly beginsWhen: 'final' | 'notarized';
  /** The state that names the next committee: certified from the beginning, or once some block above genesis is final. */
  readonly seal: 'early' | 'late';
  /** The only height of a closing block; undefined: any. */
  readonly closingHeight: number | undefined;
  /** Votes name their epoch. Otherwise a Nullify counts in each epoch that has a view of this number. */
  readonly epochSigned: boolean;
  /** Members past the boundary send on what made it final. */
  readonly movedMembersHelp: boolean;
  /** False: every block of the epoch that ends is a closing one or stands above one. */
  readonly plainBlocks: boolean;
  /**
   * `last`: of the epoch that ends they are no steps, as those of the next epoch never are. They enable no vote of their own epoch, so
   * they can be added at the end.
   */
  readonly finalizeVotes: 'steps' | 'last';
  /** Blocks that differ only by their content. More than two lead to no further certificates: no two of them get a quorum of honest votes. */
  readonly alikeMax: number;
}

export const RULES: BoundaryRules = {
  views: 3,
  nextViews: 0,
  staying: 3,
  above: 'fillers',
  beginsWhen: 'final',
  seal: 'early',
  closingHeight: undefined,
  epochSigned: true,
  movedMembersHelp: true,
  plainBlocks: true,
  finalizeVotes: 'steps',
  alikeMax: 2,
};

/** By the votes so far and all Byzantine ones. */
export function isNotarizable({ blocks }: BoundaryState, block: number): boolean {
  return isQuorum(blockAt(blocks, block).voters);
}

/** The block of the view that is notarizable; there is one at most. -1: none. */
export function notarizableIn({ blocks }: BoundaryState, epoch: Epoch, view: number): number {
  return blocks.findIndex((block) => block.epoch === epoch && block.view === view && isQuorum(block.voters));
}

export function isNullifiable(state: BoundaryState, rules: BoundaryRules, epoch: Epoch, view: number): boolean {
  if (epoch === Epoch.ending) return isQuorum(membersIn(state.nullify, view));
  return isQuorum(membersIn(state.nextNullify, view) | foreignNullify(state, rules, view));
}

/** Of members of both committees, in the view of the epoch that ends that has the number of this view of the next one. */
function foreignNullify({ blocks, root, nullify }: BoundaryState, rules: BoundaryRules, view: number): number {
  const number = blockAt(blocks, root).view + view;
  if (rules.epochSigned || number > rules.views) return 0;
  return membersIn(nullify, number) & ((1 << rules.staying) - 1);
}

export function isFinalizable(state: BoundaryState, rules: BoundaryRules, block: number): boolean {
  const { epoch, view } = blockAt(state.blocks, block);
  if (block === 0) return true;
  if (!isNotarizable(state, block)) return false;
  if (epoch === Epoch.next) return isQuorum(allBut(membersIn(state.nextNullify, view)));
  if (rules.finalizeVotes === 'last') return isQuorum(allBut(membersIn(state.nullify, view)));
  return isQuorum(membersIn(state.finalize, view));
}

/** Some honest member holds a finalization of the block. */
export function isHeldFinal(state: BoundaryState, rules: BoundaryRules, block: number): boolean {
  const { epoch, view } = blockAt(state.blocks, block);
  return epoch === Epoch.ending && hasView(state.heldFinalizations, view) && isFinalizable(state, rules, block);
}

/** Rule 4 of consensus.md: notarized parent, every view between nullified. */
export function isVotable(
  state: BoundaryState,
  rules: BoundaryRules,
  epoch: Epoch,
  parent: number,
  view: number,
): boolean {
  const from = viewAsParent(state, epoch, parent);
  if (from === undefined || from >= view || !isNotarizable(state, parent)) return false;
  for (let between = from + 1; between < view; between++) {
    if (!isNullifiable(state, rules, epoch, between)) return false;
  }
  return true;
}

/** The root of the next epoch has no view there: it counts as 0. */
function viewAsParent({ blocks, root }: BoundaryState, epoch: Epoch, parent: number): number | undefined {
  const block: Block = blockAt(blocks, parent);
  if (block.epoch === epoch) return block.view;
  return epoch === Epoch.next && parent === root ? 0 : undefined;
}

/** Whether a child of this kind, in the epoch that ends, is valid for a member that has this state. */
export function mayStandOn(state: BoundaryState, rules: BoundaryRules, parent: number, kind: Kind): boolean {
  const { above, closingHeight, plainBlocks } = rules;
  if (blockAt(state.blocks, parent).kind !== Kind.plain) {
    if (kind === Kind.filler) return above !== 'nothing';
    return kind === Kind.plain && above === 'fillers-and-payload';
  }
  const height = heightOf(state.blocks, parent) + 1;
  switch (kind) {
    case Kind.plain:
      return plainBlocks && (closingHeight === undefined || height < closingHeight);
    case Kind.closing:
      return (closingHeight === undefined || height === closingHeight) && isSealCertified(state, rules, parent);
    case Kind.filler:
      return false;
  }
}

/** A finalization certifies the state of its block and of all below; the chain of `parent` must have such a block above genesis. */
function isSealCertified(state: BoundaryState, rules: BoundaryRules, parent: number): boolean {
  if (rules.seal === 'early') return true;
  const { blocks } = state;
  return (
    parent !== 0 &&
    blocks.some((_, block) => block > 0 && onOneChain(blocks, block, parent) && isHeldFinal(state, rules, block))
  );
}

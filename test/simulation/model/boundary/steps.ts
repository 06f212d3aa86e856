/** Everything that one honest member may do next, in the epoch that ends and in the one after it. */
import type { Step } from '../explore.ts';
import {
  type BoundaryRules,
  isFinalizable,
  isHeldFinal,
  isNotarizable,
  isNullifiable,
  isVotable,
  mayStandOn,
  notarizableIn,
} from './rules.ts';
import {
  type BoundaryState,
  blockAt,
  boundaryOf,
  Epoch,
  HONEST,
  hasMember,
  hasView,
  KIND_NAMES,
  KINDS,
  Kind,
  membersIn,
  votersIn,
  withMembers,
  withVote,
} from './state.ts';

type BoundaryStep = Step<BoundaryState>;

export function stepsFrom(state: BoundaryState, rules: BoundaryRules): readonly BoundaryStep[] {
  const steps: BoundaryStep[] = [];
  for (let view = 1; view <= rules.views; view++) endingSteps(state, rules, view, steps);
  if (rules.nextViews === 0) return steps;
  for (const root of rootsOf(state, rules)) {
    const begun = { ...state, root };
    for (let view = 1; view <= rules.nextViews; view++) nextSteps(begun, rules, view, steps);
  }
  return steps;
}

function endingSteps(state: BoundaryState, rules: BoundaryRules, view: number, steps: BoundaryStep[]): void {
  const entries = entriesOf(state, rules, view);
  if (entries.length === 0) return;
  for (let parent = 0; parent < state.blocks.length; parent++) {
    if (!isVotable(state, rules, Epoch.ending, parent, view)) continue;
    const acting = holdingJustification(state, rules, parent, view);
    for (const kind of KINDS) {
      if (mayStandOn(acting, rules, parent, kind))
        notarizations(acting, rules, Epoch.ending, view, parent, kind, steps);
    }
  }
  for (const entered of entries) nullifications(entered, view, steps);
  if (rules.finalizeVotes === 'steps') finalizations(state, rules, view, steps);
}

/** The state with the certificate by which a member enters the view, for each certificate that can be formed; none: it cannot be entered. */
function entriesOf(state: BoundaryState, rules: BoundaryRules, view: number): readonly BoundaryState[] {
  const byNotarization = notarizableIn(state, Epoch.ending, view - 1) !== -1;
  const byNullification = view > 1 && isNullifiable(state, rules, Epoch.ending, view - 1);
  if (view === 1 || rules.finalizeVotes === 'last') return byNotarization || byNullification ? [state] : [];
  const bit = 1 << (view - 1);
  const entries: BoundaryState[] = [];
  if (byNotarization) entries.push({ ...state, heldNotarizations: state.heldNotarizations | bit });
  if (byNullification) entries.push({ ...state, heldNullifications: state.heldNullifications | bit });
  return entries;
}

/** A member that votes for a child of `parent` holds the certificates that rule 4 asks for. */
function holdingJustification(state: BoundaryState, rules: BoundaryRules, parent: number, view: number): BoundaryState {
  if (rules.finalizeVotes === 'last') return state;
  const from = blockAt(state.blocks, parent).view;
  let { heldNotarizations, heldNullifications } = state;
  if (parent !== 0) heldNotarizations |= 1 << from;
  for (let between = from + 1; between < view; between++) heldNullifications |= 1 << between;
  return { ...state, heldNotarizations, heldNullifications };
}

/** For each block of this form that has a vote, and for a new one. */
function notarizations(
  state: BoundaryState,
  rules: BoundaryRules,
  epoch: Epoch,
  view: number,
  parent: number,
  kind: Kind,
  steps: BoundaryStep[],
): void {
  const { blocks } = state;
  const nullify = epoch === Epoch.ending ? state.nullify : state.nextNullify;
  const voted = votersIn(blocks, epoch, view) | membersIn(nullify, view);
  const fresh = { epoch, view, parent, kind, voters: 0 };
  let alike = 0;
  for (let index = 1; index <= blocks.length; index++) {
    const block = blocks[index] ?? fresh;
    if (block.epoch !== epoch || block.view !== view || block.parent !== parent || block.kind !== kind) continue;
    if (++alike > rules.alikeMax && block === fresh) continue;
    for (let member = 0; member < HONEST; member++) {
      if (hasMember(voted, member)) continue;
      steps.push({
        what: () =>
          `${where(epoch)}member ${member} notarizes ${KIND_NAMES[kind]} block ${index}, a child of ${parent}, in view ${view}`,
        state: withVote(state, block, index, member),
      });
    }
  }
}

/** `entered` holds the certificate by which a member entered the view. */
function nullifications(entered: BoundaryState, view: number, steps: BoundaryStep[]): void {
  const done = membersIn(entered.nullify, view) | membersIn(entered.finalize, view);
  for (let member = 0; member < HONEST; member++) {
    if (hasMember(done, member)) continue;
    steps.push({
      what: () => `member ${member} nullifies view ${view}`,
      state: { ...entered, nullify: withMembers(entered.nullify, view, 1 << member) },
    });
  }
}

function finalizations(state: BoundaryState, rules: BoundaryRules, view: number, steps: BoundaryStep[]): void {
  const block = notarizableIn(state, Epoch.ending, view);
  if (block === -1) return;
  const what = `${KIND_NAMES[blockAt(state.blocks, block).kind]} block ${block}`;
  const heldNotarizations = state.heldNotarizations | (1 << view);
  const done = membersIn(state.nullify, view) | membersIn(state.finalize, view);
  for (let member = 0; member < HONEST; member++) {
    if (hasMember(done, member)) continue;
    steps.push({
      what: () => `member ${member} finalizes ${what}`,
      state: { ...state, heldNotarizations, finalize: withMembers(state.finalize, view, 1 << member) },
    });
  }
  if (hasView(state.heldFinalizations, view) || !isFinalizable(state, rules, block)) return;
  const heldFinalizations = state.heldFinalizations | (1 << view);
  steps.push({
    what: () => `a member learns that ${what} is final`,
    state: { ...state, heldNotarizations, heldFinalizations },
  });
}

/** Blocks on which a member may begin the next epoch; once one has voted there, its root stands. */
function rootsOf(state: BoundaryState, rules: BoundaryRules): readonly number[] {
  const { blocks, root } = state;
  return blocks.flatMap(({ epoch, kind }, closing) => {
    if (epoch !== Epoch.ending || kind !== Kind.closing || (root !== 0 && root !== closing)) return [];
    const begins =
      (rules.beginsWhen === 'notarized' && isNotarizable(state, closing)) ||
      blocks.some((_, block) => isHeldFinal(state, rules, block) && boundaryOf(blocks, block) === closing);
    return begins ? [closing] : [];
  });
}

function nextSteps(state: BoundaryState, rules: BoundaryRules, view: number, steps: BoundaryStep[]): void {
  const entered =
    view === 1 ||
    notarizableIn(state, Epoch.next, view - 1) !== -1 ||
    isNullifiable(state, rules, Epoch.next, view - 1);
  if (!entered) return;
  const nullified = membersIn(state.nextNullify, view);
  for (let member = 0; member < HONEST; member++) {
    if (hasMember(nullified, member)) continue;
    steps.push({
      what: () => `${where(Epoch.next)}member ${member} nullifies view ${view}`,
      state: { ...state, nextNullify: withMembers(state.nextNullify, view, 1 << member) },
    });
  }
  for (let parent = 1; parent < state.blocks.length; parent++) {
    if (!isVotable(state, rules, Epoch.next, parent, view)) continue;
    notarizations(state, rules, Epoch.next, view, parent, Kind.plain, steps);
  }
}

function where(epoch: Epoch): string {
  return epoch === Epoch.next ? 'next epoch: ' : '';
}

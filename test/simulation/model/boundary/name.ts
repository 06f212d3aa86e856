/**
 * One name for states that differ only in the order of members and blocks, and for no others.
 *
 * Of all orders of members, the least code is the name. A block needs no number: an honest member votes once in a view, so a view and the
 * first voter identify it.
 */
import type { BoundaryRules } from './rules.ts';
import { type Block, type BoundaryState, blockAt, Epoch, HONEST } from './state.ts';

const VIEWS_MAX = 4;
const BY_VIEW_BITS = HONEST * VIEWS_MAX;

/** By order of members: what becomes of each set by view. */
type Renaming = Uint16Array;

const ORDERS = [
  [0, 1, 2],
  [1, 0, 2],
  [0, 2, 1],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;
const ALL: readonly Renaming[] = ORDERS.map(renamingBy);
/** Members that stay and those that leave differ. */
const LAST_LEAVES = ALL.slice(0, 2);
const FIRST_OF = [0, 0, 1, 0, 2, 0, 1, 0] as const;

function renamingBy(order: readonly number[]): Renaming {
  return Uint16Array.from({ length: 1 << BY_VIEW_BITS }, (_, byView) => {
    let renamed = 0;
    for (let bit = 0; bit < BY_VIEW_BITS; bit++) {
      const member = bit % HONEST;
      if (((byView >> bit) & 1) === 1) renamed |= 1 << (bit - member + (order[member] as number));
    }
    return renamed;
  });
}

export function nameOf(state: BoundaryState, rules: BoundaryRules): string {
  const candidates = leastBy(rules.staying < HONEST ? LAST_LEAVES : ALL, state);
  let least: number[] | undefined;
  for (const renaming of candidates) {
    const code = blockCodes(state, rules, renaming);
    if (least === undefined || isLess(code, least)) least = code;
  }
  const [renaming] = candidates as [Renaming];
  return String.fromCharCode(
    renaming[state.nullify] as number,
    renaming[state.finalize] as number,
    renaming[state.nextNullify] as number,
    state.heldNotarizations | (state.heldNullifications << 5) | (state.heldFinalizations << 10),
    ...(least as number[]),
  );
}

/** The orders with the least sets of Nullify and Finalize votes: mostly one. */
function leastBy(renamings: readonly Renaming[], { nullify, finalize, nextNullify }: BoundaryState): Renaming[] {
  let least = Number.POSITIVE_INFINITY;
  let found: Renaming[] = [];
  for (const renaming of renamings) {
    const upper = ((renaming[nullify] as number) << BY_VIEW_BITS) | (renaming[finalize] as number);
    const code = upper * (1 << BY_VIEW_BITS) + (renaming[nextNullify] as number);
    if (code > least) continue;
    if (code < least) found = [];
    least = code;
    found.push(renaming);
  }
  return found;
}

/** A code for each pair of view and first voter; 0 where no block has them. The last one is the next epoch's root. */
function blockCodes(
  { blocks, root }: BoundaryState,
  { views, nextViews }: BoundaryRules,
  renaming: Renaming,
): number[] {
  const codes = new Array<number>(HONEST * (views + nextViews) + 1).fill(0);
  const placeOf = (block: Block): number => {
    const view = block.epoch === Epoch.ending ? block.view - 1 : views + block.view - 1;
    return HONEST * view + (FIRST_OF[renaming[block.voters] as number] as number);
  };
  for (let index = 1; index < blocks.length; index++) {
    const block = blockAt(blocks, index);
    const parent = block.parent === 0 ? 0 : 1 + placeOf(blockAt(blocks, block.parent));
    codes[placeOf(block)] = (renaming[block.voters] as number) | (block.kind << 3) | (parent << 5);
  }
  if (root !== 0) codes[codes.length - 1] = 1 + placeOf(blockAt(blocks, root));
  return codes;
}

/** Of equal length. */
function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[at]) return (a[at] as number) < (b[at] as number);
  }
  return false;
}

/** Of every state: the chain forks nowhere around the boundary. */
import { type BoundaryRules, isFinalizable, isNotarizable } from './rules.ts';
import { type BoundaryState, blockAt, boundaryOf, descends, Epoch, Kind, onOneChain } from './state.ts';

export const ONE_CHAIN = 'final blocks of an epoch form one chain';
export const ONE_ROOT = 'the next epoch has one root at most';
export const DELIVERED_BELOW_ROOT = 'every delivered block is an ancestor of the root of the next epoch';
export const NEXT_ONE_CHAIN = 'final blocks of the next epoch form one chain';

/** Undefined: the state is safe. */
export function unsafety(state: BoundaryState, rules: BoundaryRules): string | undefined {
  const { blocks } = state;
  const final = finalOf(state, rules, Epoch.ending);
  if (!isChain(state, final)) return ONE_CHAIN;
  const roots = new Set(final.map((block) => boundaryOf(blocks, block)));
  if (rules.beginsWhen === 'notarized') {
    for (const block of closingOf(state)) if (isNotarizable(state, block)) roots.add(boundaryOf(blocks, block));
  }
  roots.delete(0);
  if (roots.size > 1) return ONE_ROOT;
  const [root] = roots;
  const delivered = final.filter((block) => isDelivered(state, rules, block));
  if (root !== undefined && delivered.some((block) => !descends(blocks, root, block))) return DELIVERED_BELOW_ROOT;
  return isChain(state, finalOf(state, rules, Epoch.next)) ? undefined : NEXT_ONE_CHAIN;
}

function finalOf(state: BoundaryState, rules: BoundaryRules, epoch: Epoch): number[] {
  const final: number[] = [];
  for (let block = 1; block < state.blocks.length; block++) {
    if (blockAt(state.blocks, block).epoch === epoch && isFinalizable(state, rules, block)) final.push(block);
  }
  return final;
}

function isChain({ blocks }: BoundaryState, some: readonly number[]): boolean {
  return some.every((a) => some.every((b) => a >= b || onOneChain(blocks, a, b)));
}

function closingOf({ blocks }: BoundaryState): number[] {
  return blocks.flatMap(({ kind }, block) => (kind === Kind.closing ? [block] : []));
}

/** Blocks up to the boundary; where those above it carry payload, these too. */
function isDelivered({ blocks }: BoundaryState, { above }: BoundaryRules, block: number): boolean {
  const boundary = boundaryOf(blocks, block);
  if (boundary === 0 || boundary === block) return true;
  return above === 'fillers-and-payload' && blockAt(blocks, block).kind !== Kind.filler;
}

/**
 * Proposal store: proposals of each view's leader, by kind.
 *
 * An optimistic and a normal proposal of a view are legal iff they are the same block or have different parents. Two of a kind with
 * different ids, or two different blocks with one parent, are equivocation (rule 4).
 */
import type { Block, BlockId, Certificate, ProposalKind, View } from '@slipstream/types';
import { hexOf } from '@slipstream/types';

export interface Candidate {
  readonly kind: ProposalKind;
  readonly view: View;
  readonly blockId: BlockId;
  /** Undefined for a confirmation until the block is here. */
  block: Block | undefined;
  readonly signature: Uint8Array;
  readonly justification: readonly Certificate[];
  /** By the leader's signature. */
  verified: boolean;
  /** A check was requested; some proposals need none. */
  asked: boolean;
}

interface ViewProposals {
  optimistic?: Candidate;
  normal?: Candidate;
}

type ProposalOutcome =
  | { readonly type: 'new' }
  | { readonly type: 'known' }
  | { readonly type: 'equivocation'; readonly first: Candidate };

export interface ProposalStore {
  add(candidate: Candidate): ProposalOutcome;
  at(view: View, kind: ProposalKind): Candidate | undefined;
  candidates(view: View): readonly Candidate[];
  /** As first proposed; undefined for a fetched block. */
  kindOf(view: View, blockId: BlockId): ProposalKind | undefined;
  /** The leader's normal proposal is this block. */
  confirmed(view: View, blockId: BlockId): boolean;
  /** A pair that proved illegal once both bodies were known. */
  conflict(view: View): { readonly first: Candidate; readonly second: Candidate } | undefined;
  remove(candidate: Candidate): void;
  prune(below: View): void;
  readonly size: number;
  readonly state: ProposalStoreState;
}

/** Plain data. */
export interface ProposalStoreState {
  readonly views: Map<number, ViewProposals>;
}

function sameBlock(a: Candidate, b: Candidate): boolean {
  return hexOf(a.blockId) === hexOf(b.blockId);
}

/** False while a body is unknown. */
function contradict(a: Candidate, b: Candidate): boolean {
  if (sameBlock(a, b) || !a.block || !b.block) return false;
  return hexOf(a.block.parentId) === hexOf(b.block.parentId);
}

export function createProposalStore(state: ProposalStoreState = { views: new Map() }): ProposalStore {
  const { views } = state;

  function add(candidate: Candidate): ProposalOutcome {
    const entry = views.get(candidate.view) ?? {};
    const same = entry[candidate.kind];
    if (same) {
      if (!sameBlock(same, candidate)) return { type: 'equivocation', first: same };
      same.block ??= candidate.block;
      return { type: 'known' };
    }
    const other = entry[candidate.kind === 'normal' ? 'optimistic' : 'normal'];
    if (other && contradict(other, candidate)) return { type: 'equivocation', first: other };
    if (other && sameBlock(other, candidate)) {
      other.block ??= candidate.block;
      candidate.block ??= other.block;
    }
    entry[candidate.kind] = candidate;
    views.set(candidate.view, entry);
    return { type: 'new' };
  }

  return {
    add,
    at: (of, kind) => views.get(of)?.[kind],
    candidates(of) {
      const { normal, optimistic } = views.get(of) ?? {};
      return [normal, optimistic].filter((candidate) => candidate !== undefined);
    },
    kindOf(of, blockId) {
      const { optimistic, normal } = views.get(of) ?? {};
      return [optimistic, normal].find((candidate) => candidate && hexOf(candidate.blockId) === hexOf(blockId))?.kind;
    },
    confirmed(of, blockId) {
      const normal = views.get(of)?.normal;
      return normal?.verified === true && hexOf(normal.blockId) === hexOf(blockId);
    },
    conflict(of) {
      const { normal, optimistic } = views.get(of) ?? {};
      return normal && optimistic && contradict(optimistic, normal) ? { first: optimistic, second: normal } : undefined;
    },
    remove(candidate) {
      const entry = views.get(candidate.view);
      if (entry?.[candidate.kind] === candidate) delete entry[candidate.kind];
    },
    prune(below) {
      for (const of of views.keys()) if (of < below) views.delete(of);
    },
    get size() {
      return views.size;
    },
    state,
  };
}

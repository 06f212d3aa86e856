/**
 * Rule 4: vote for a proposal of the current view, or early for a child of the own vote (rule 4a).
 *
 * Each candidate is judged from current knowledge: `yes`, `never`, or `wait` (missing data was requested), without delaying others.
 */
import { bytesEqual } from '@slipstream/primitives';
import { view as asView } from '@slipstream/types';
import type { BlockEntry } from '../block-tree.ts';
import {
  type Context,
  castVote,
  epochOf,
  maySign,
  notarizedIn,
  wakeAt,
  wantBlock,
  wantCertificates,
} from '../context.ts';
import { FUTURE_TIMESTAMP_MS } from '../options.ts';
import type { Candidate } from '../proposal-store.ts';
import { judgeClosing, wantSeal } from './closing.ts';
import { earlyParent } from './early-vote.ts';
import { isWithinLag } from './execution-lag.ts';
import { condemn } from './invalid-blocks.ts';
import { follows, isOfView } from './proposal-fault.ts';

type Judgement = 'yes' | 'wait' | 'never';

/** True when a vote was cast. */
export function notarizeCurrentView(context: Context): boolean {
  const { view } = context;
  const own = context.own.at(view);
  if (own.notarize || own.nullify || !maySign(context, view)) return false;
  for (const candidate of context.proposals.candidates(view)) {
    if (judge(context, candidate) !== 'yes') continue;
    castVote(context, { kind: 'notarize', epoch: epochOf(context), view, blockId: candidate.blockId });
    return true;
  }
  return false;
}

/** Rule 4a. True when a vote was cast. */
export function notarizeNextView(context: Context): boolean {
  const next = asView(context.view + 1);
  const candidate = context.proposals.at(next, 'optimistic');
  const own = context.own.at(next);
  if (!candidate?.block || candidate.block.next !== undefined || own.notarize || own.nullify || !maySign(context, next))
    return false;
  const parentId = earlyParent(context);
  if (!parentId || !bytesEqual(candidate.block.parentId, parentId)) return false;
  const entry = candidate.verified ? context.tree.get(candidate.blockId) : undefined;
  if (
    !entry ||
    !isOfView(context, entry.block, next) ||
    judgePlace(context, entry) !== 'yes' ||
    judgeItself(context, entry) !== 'yes'
  )
    return false;
  castVote(context, { kind: 'notarize', epoch: epochOf(context), view: next, blockId: candidate.blockId });
  return true;
}

function judge(context: Context, candidate: Candidate): Judgement {
  if (!candidate.verified) return 'wait';
  const entry = context.tree.get(candidate.blockId);
  if (!entry) {
    wantBlock(context, candidate.blockId, [context.leaderOf(candidate.view)]);
    return 'wait';
  }
  if (!isOfView(context, entry.block, candidate.view)) return 'never';
  if (!entry.active && !isWithinLag(context)) return 'wait';
  if (candidate.kind === 'optimistic' && !optimisticStands(context, candidate)) return 'wait';
  const parent = judgeParent(context, entry);
  if (parent !== 'yes') return parent;
  const closing = judgeNext(context, candidate, entry);
  return closing === 'yes' ? judgeItself(context, entry) : closing;
}

/** Rule 10. */
function judgeNext(context: Context, { kind }: Candidate, entry: BlockEntry): Judgement {
  const parent = context.tree.get(entry.block.parentId);
  if (parent === undefined) return 'wait';
  const verdict = judgeClosing(context, entry.block, parent.block, kind);
  if (verdict === 'sound') return 'yes';
  if (verdict === 'wait') {
    wantSeal(context, entry.block);
    return 'wait';
  }
  condemn(context, entry, { reason: verdict.fault, offence: 'malformed-frame' });
  return 'never';
}

function judgeItself(context: Context, entry: BlockEntry): Judgement {
  if (entry.payload !== 'valid') return entry.payload === 'invalid' ? 'never' : 'wait';
  const earlyMs = entry.block.timestampMs - context.wallMs - FUTURE_TIMESTAMP_MS;
  if (earlyMs > 0) {
    wakeAt(context, context.nowMs + earlyMs);
    return 'wait';
  }
  return 'yes';
}

/** In a view entered by Nullification(v-1) an optimistic proposal needs the leader's confirmation. */
function optimisticStands(context: Context, candidate: Candidate): boolean {
  const enteredByNullification = context.entry?.subject.kind === 'nullify';
  return !enteredByNullification || context.proposals.confirmed(candidate.view, candidate.blockId);
}

/** The parent is notarized, and all views between are nullified. */
function judgeParent(context: Context, entry: BlockEntry): Judgement {
  const { block } = entry;
  if (block.parentView < context.lastFinal.view) return 'never';
  const notarized = notarizedIn(context, block.parentView);
  if (notarized === undefined) {
    wantCertificates(context, block.parentView, block.parentView);
    return 'wait';
  }
  if (!bytesEqual(notarized, block.parentId)) return 'never';
  const gap = context.certificates.firstGap(block.parentView, block.view);
  if (gap !== undefined) {
    wantCertificates(context, gap, asView(block.view - 1));
    return 'wait';
  }
  return judgePlace(context, entry);
}

/** The ancestors are here, and the block follows its parent. */
function judgePlace(context: Context, { block }: BlockEntry): Judgement {
  const parent = context.tree.get(block.parentId);
  const path = context.tree.pathFromRoot(block.parentId);
  if ('missing' in path) {
    wantBlock(context, path.missing, [context.leaderOf(block.view)]);
    return 'wait';
  }
  if ('fork' in path || !parent) return 'never';
  return follows(block, parent.block) ? 'yes' : 'never';
}

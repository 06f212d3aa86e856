/** Rules 6, 7 and 8: finalize, certify, deliver. */
import { assert, bytesEqual } from '@slipstream/primitives';
import { view as asView, hexOf, SYNC_BLOCKS_MAX, type View } from '@slipstream/types';
import type { BlockEntry } from '../block-tree.ts';
import {
  type Context,
  castVote,
  emit,
  epochOf,
  mayCertify,
  maySign,
  oldestRetainedView,
  report,
  want,
  wantBlock,
} from '../context.ts';
import { activate } from './activate.ts';
import { close } from './closing.ts';
import { highestOpen, isWithinLag } from './execution-lag.ts';

/** Rule 6: Finalize(v) on a notarization of v unless Nullify(v) was sent, once block and payload are in the log (I6). */
export function finalizeNotarized(context: Context): void {
  for (const [at, blockId] of context.toFinalize) {
    const view = asView(at);
    const own = context.own.at(view);
    if (view < context.lastFinal.view) {
      context.toFinalize.delete(at); // maybe no peer has its block any more
      continue;
    }
    if (own.nullify || own.finalize || view <= context.setting.refuseUpToView || context.setting.self === undefined) {
      context.toFinalize.delete(at);
      continue;
    }
    if (!maySign(context, view)) continue;
    const entry = context.tree.get(blockId);
    if (!entry) {
      wantBlock(context, blockId, context.certificates.notarized(view)?.certificate.signers ?? []);
      continue;
    }
    assert(entry.block.view === view, `what is notarized in view ${view} is of it, not of ${entry.block.view}`);
    if (entry.payload !== 'valid') continue;
    castVote(context, { kind: 'finalize', epoch: epochOf(context), view, blockId });
    context.toFinalize.delete(at);
  }
}

/** Otherwise a node that syncs would sign thousands of useless state votes. */
const CERTIFY_BEHIND_HEIGHTS = 64;

/** Rule 7: Certify an executed block once, when Finalize was sent for it or it is final. */
export function certifyExecuted(context: Context): void {
  if (context.setting.self === undefined) return context.toCertify.clear(); // a node that never votes would never remove an entry
  const oldestView = oldestRetainedView(context);
  for (const [key, { block, id, digest, final }] of context.toCertify) {
    // Own marks of earlier views are gone, and with them what I5 is asserted by.
    if (block.view < oldestView || context.lastState.height > block.height + CERTIFY_BEHIND_HEIGHTS) {
      context.toCertify.delete(key);
      continue;
    }
    // Cheap checks first: this runs at every event for every waiting block.
    if (!digest) continue;
    const finalized = context.own.at(block.view).finalize;
    const mine = finalized !== undefined && bytesEqual(finalized, id);
    if (!(mine || final)) continue;
    if (context.own.hasCertified(block.view, id)) {
      context.toCertify.delete(key);
      continue;
    }
    if (!mayCertify(context, block.view)) continue;
    const { epoch, view, height } = block;
    castVote(context, { kind: 'certify', epoch, view, height, blockId: id, stateDigest: digest });
    context.toCertify.delete(key);
  }
}

type FinalCertificate = NonNullable<Context['lastFinal']['certificate']>;

const RANGE_HEIGHTS = SYNC_BLOCKS_MAX;
/** With more heights missing, blocks are fetched by range. */
const RANGE_FROM_HEIGHTS = 4;

/** Rule 8: in order of height. */
export function deliverFinal(context: Context): boolean {
  const { tree, lastFinal } = context;
  if (!isWithinLag(context)) {
    prune(context);
    return false;
  }
  syncAhead(context);
  const found = tree.pathFromRoot(lastFinal.blockId);
  if ('missing' in found) {
    wantBlock(context, found.missing, lastFinal.certificate?.signers ?? []);
    return false;
  }
  assert(!('fork' in found), `I4: finalized blocks form one chain (view ${lastFinal.view} leaves it)`);
  if (!lastFinal.certificate) return false;
  const last = found.path.at(-1);
  if (last && !last.active && !isWithinLag(context, last.block.height)) {
    // Up to the bound nothing would commit by certificates beyond it. Ranges come with their own.
    wantRange(context, last.block.height, lastFinal.certificate.signers);
    prune(context);
    return false;
  }
  return deliverPath(context, found.path, lastFinal.certificate);
}

/** Up to a block below the last final one, by its own verified certificate: a node that catches up delivers each range at once. */
export function deliverUpTo(context: Context, certificate: FinalCertificate): void {
  const { blockId, view } = certificate.subject;
  const found = context.tree.pathFromRoot(blockId);
  if ('missing' in found) return;
  assert(!('fork' in found), `I4: finalized blocks form one chain (view ${view} leaves it)`);
  deliverPath(context, found.path, certificate);
}

function deliverPath(context: Context, path: readonly BlockEntry[], certificate: FinalCertificate): boolean {
  const { tree } = context;
  const { view } = certificate.subject;
  const last = path.at(-1);
  if (!last || context.closed !== undefined) return false; // only fillers follow
  assert(last.block.view === view, `what is final in view ${view} is of it, not of ${last.block.view}`);
  const heightMax = highestOpen(context);
  const end = path.findIndex(({ active, block }) => !active && block.height > heightMax);
  const boundary = path.findIndex(({ block }) => block.next !== undefined);
  const ends = [end, boundary < 0 ? -1 : boundary + 1].filter((each) => each >= 0);
  const open = path.slice(0, Math.min(path.length, ...ends));
  for (const entry of open) {
    // Votes for a child need an active parent; delivered blocks may be pruned at once.
    if (!entry.active) activateFinal(context, entry);
    reportInterval(context, entry);
    tree.setRoot(entry);
    if (!context.own.hasCertified(entry.block.view, entry.id)) context.toCertify.set(hexOf(entry.id), entry);
    emit(context, { type: 'finalized', blockId: entry.id, block: entry.block, certificate });
    report(context, 'block.final', {
      view: entry.block.view,
      height: entry.block.height,
      blockId: hexOf(entry.id),
      proposer: entry.block.proposer,
      timestampMs: entry.block.timestampMs,
      sinceArrivalMs: context.nowMs - entry.arrivedMs,
    });
  }
  if (boundary >= 0 && open.length > boundary) {
    close(context, path[boundary] as BlockEntry, path.slice(boundary + 1), certificate);
  }
  if (open.length > 0) prune(context);
  return open.length > 0;
}

/** A quorum judged the payload. A node without a vote needs no verdict of its own, which costs a pairing check a block. */
function activateFinal(context: Context, entry: BlockEntry): void {
  if (context.setting.self === undefined && entry.payload === 'unknown') entry.payload = 'valid';
  activate(context, entry);
}

/** Only blocks proposed here: a fetched one arrives after its certificate. */
function reportInterval(
  { blockInterval, proposals, lastFinal, nowMs }: Context,
  { id, block, arrivedMs }: BlockEntry,
): void {
  const wasProposed = proposals.kindOf(block.view, id) !== undefined;
  if (wasProposed && arrivedMs < lastFinal.knownMs) blockInterval.finalized(lastFinal.knownMs - arrivedMs, nowMs);
}

/** Fetches ranges, oldest first, when peers report much higher final heights. */
function syncAhead(context: Context): void {
  const delivered = context.tree.root.block.height;
  let reported = context.laterHeight; // no spread: this runs at every event, for any committee size
  for (const height of context.finalHeightOf) if (height > reported) reported = height;
  if (reported <= delivered + RANGE_FROM_HEIGHTS) return;
  const hint = context.finalHeightOf.flatMap((height, member) => (height > delivered ? [member] : []));
  wantRange(context, reported, hint);
}

/** From the first height that is not delivered. */
function wantRange(context: Context, upTo: number, hint: readonly number[]): void {
  const from = context.tree.root.block.height + 1;
  const to = Math.min(upTo, from + RANGE_HEIGHTS - 1);
  want(context, `finalized/${from}`, { type: 'finalized', from, to }, hint);
}

/** Drops state below the retention window, and rivals of final blocks. */
function prune(context: Context): void {
  const { lookaheadViews } = context.setting.options;
  const below = oldestRetainedView(context);
  for (const rival of context.tree.prune(below)) dropBlock(context, rival);
  context.certificates.prune(below, asView(context.view + lookaheadViews) as View);
  context.proposals.prune(below);
  context.votes.prune(below);
  context.own.prune(below);
  for (const [key, nextMs] of context.fetches) if (nextMs <= context.nowMs) context.fetches.delete(key);
}

export function dropBlock(context: Context, entry: BlockEntry): void {
  context.toCertify.delete(hexOf(entry.id));
  if (entry.active) emit(context, { type: 'drop', blockId: entry.id });
}

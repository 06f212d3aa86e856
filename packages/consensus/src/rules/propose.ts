/**
 * Rules 2 and 3: what a leader proposes, and when.
 *
 *   current view     --> normal: child of the highest notarized block (or the optimistic child stands and is confirmed)
 *   next view        --> optimistic: child of the block just voted for (with early votes: in the next two views)
 */
import { bytesEqual } from '@slipstream/primitives';
import {
  view as asView,
  type Block,
  type BlockId,
  blockIdOf,
  type Certificate,
  type ChunkReference,
  height,
  JUSTIFICATION_NULLIFICATIONS_MAX,
  type ProposalKind,
  payloadRootOf,
  SYNC_CERTIFICATES_MAX,
  type View,
} from '@slipstream/types';
import type { PayloadRequest } from '../application.ts';
import type { BlockEntry } from '../block-tree.ts';
import {
  type Context,
  emit,
  epochOf,
  maySign,
  notarizedIn,
  viewsAhead,
  wakeAt,
  wantBlock,
  wantCertificates,
} from '../context.ts';
import { isFiller, nextOf } from './closing.ts';
import { blockIntervalMs, isWithinLag } from './execution-lag.ts';

/** True when anything was decided. */
export function proposeIfLeading(context: Context): boolean {
  const { self } = context.setting;
  if (self === undefined) return false;
  if (context.leaderOf(context.view) === self && maySign(context, context.view)) {
    if (confirmStanding(context)) return true;
    const parent = normalParent(context);
    if (parent && isFiller(context.setting.committee, parent.block)) return proposeFiller(context, parent);
    if (parent) startBuilding(context, context.view, parent);
    return false;
  }
  for (let ahead = 1; ahead <= viewsAhead(context); ahead++) {
    const at = asView(context.view + ahead);
    if (context.leaderOf(at) !== self || !maySign(context, at)) continue;
    const parent = optimisticParent(context, at);
    if (!parent) continue;
    startBuilding(context, at, parent);
    break;
  }
  return false;
}

/** Rule 3: the optimistic child of a notarized block stands, and this step's frame confirms it. */
function confirmStanding(context: Context): boolean {
  const { view } = context;
  const own = context.own.at(view);
  if (own.normal || !own.optimistic) return false;
  const entry = context.tree.get(own.optimistic);
  const notarized = context.certificates.notarized(asView(view - 1));
  if (!entry || !notarized || !bytesEqual(notarized.blockId, entry.block.parentId)) return false;
  context.own.decideProposal(view, 'normal', entry.id);
  context.outbox.confirm = { block: entry.block, blockId: entry.id };
  if (!context.outbox.certificates.includes(notarized.certificate)) {
    context.outbox.certificates.push(notarized.certificate);
  }
  context.building = undefined;
  return true;
}

/** Rule 2: the parent of a normal proposal; undefined when none may be made now. */
function normalParent(context: Context): BlockEntry | undefined {
  const { view } = context;
  const own = context.own.at(view);
  if (own.normal || own.nullify || !isWithinLag(context)) return undefined;
  if (
    own.optimistic &&
    context.entry?.subject.kind === 'nullify' &&
    context.nowMs < context.pacemaker.graceDeadlineMs
  ) {
    wakeAt(context, context.pacemaker.graceDeadlineMs);
    return undefined;
  }
  const parentView = highestNotarized(context, view);
  const parentId = parentView === undefined ? undefined : notarizedIn(context, parentView);
  if (parentId === undefined) return undefined;
  const path = context.tree.pathFromRoot(parentId);
  if ('missing' in path) {
    wantBlock(context, path.missing, []);
    return undefined;
  }
  return context.tree.get(parentId);
}

/** A view has up to four certificates, and a wider query would be answered from its lower end only. */
const ASKED_VIEWS = SYNC_CERTIFICATES_MAX / 4;

/** The highest notarized view with all views between nullified. Requests missing certificates. */
function highestNotarized(context: Context, below: View): View | undefined {
  for (let at = below - 1; at >= context.lastFinal.view; at--) {
    if (notarizedIn(context, asView(at)) !== undefined) return asView(at);
    if (!context.certificates.nullified(asView(at))) {
      const from = asView(Math.max(context.lastFinal.view, at - ASKED_VIEWS) + 1);
      wantCertificates(context, from, asView(at));
      return undefined;
    }
  }
  return undefined;
}

/** Rule 3: the block of the own Notarize in the view before `at`. */
function optimisticParent(context: Context, at: View): BlockEntry | undefined {
  const next = context.own.at(at);
  const own = context.own.at(asView(at - 1));
  if (next.optimistic || next.normal || !own.notarize || own.nullify) return undefined;
  const parent = context.tree.get(own.notarize);
  return parent && isFiller(context.setting.committee, parent.block) ? undefined : parent;
}

/** Rule 10. Later than the boundary's certificate in most cases, which makes it needless. True when it was proposed. */
function proposeFiller(context: Context, { id: parentId, block: parent }: BlockEntry): boolean {
  const { view, pacemaker, nowMs } = context;
  const dueMs = pacemaker.enteredMs + context.setting.options.graceMs;
  if (nowMs < dueMs) {
    wakeAt(context, dueMs);
    return false;
  }
  const timestampMs = Math.max(Math.floor(context.wallMs), parent.timestampMs + 1);
  propose(context, 'normal', { view, parentId, parent, timestampMs }, []);
  return true;
}

/** The interval counts from the local arrival of the parent, so no proposer's clock can delay others. */
function startBuilding(context: Context, view: View, parent: BlockEntry): void {
  const { building } = context;
  if (building && building.view === view && bytesEqual(building.parentId, parent.id)) return;
  const intervalMs = blockIntervalMs(context, parent.block.height);
  if (intervalMs === undefined) return; // the next state certificate continues it
  const dueMs = parent.arrivedMs + intervalMs;
  if (context.nowMs < dueMs) {
    wakeAt(context, dueMs);
    return;
  }
  context.building = { view, parentId: parent.id };
  const timestampMs = Math.max(Math.floor(context.wallMs), parent.block.timestampMs + 1);
  emit(context, { type: 'build-payload', request: { view, parentId: parent.id, parent: parent.block, timestampMs } });
}

/** If its parent is still the right one. */
export function onPayloadBuilt(context: Context, request: PayloadRequest, payload: readonly ChunkReference[]): void {
  const { building } = context;
  if (!building || building.view !== request.view || !bytesEqual(building.parentId, request.parentId)) return;
  context.building = undefined;
  if (!maySign(context, request.view) || context.leaderOf(request.view) !== context.setting.self) return;
  if (request.view === context.view) {
    if (confirmStanding(context)) return;
    const parent = normalParent(context);
    if (parent && bytesEqual(parent.id, request.parentId)) propose(context, 'normal', request, payload);
  } else if (request.view > context.view) {
    const parent = optimisticParent(context, request.view);
    if (parent && bytesEqual(parent.id, request.parentId)) propose(context, 'optimistic', request, payload);
  }
}

function propose(
  context: Context,
  kind: ProposalKind,
  request: PayloadRequest,
  payload: readonly ChunkReference[],
): void {
  const block: Block = {
    epoch: epochOf(context),
    view: request.view,
    height: height(request.parent.height + 1),
    parentId: request.parentId,
    parentView: request.parent.view,
    timestampMs: request.timestampMs,
    proposer: context.setting.self as number,
    payload,
    payloadRoot: payloadRootOf(payload),
    next: nextOf(context, request.parent),
  };
  const blockId = blockIdOf(block);
  const justification =
    kind === 'normal' ? justificationOf(context, block.parentView, block.parentId, request.view) : [];
  context.own.decideProposal(request.view, kind, blockId);
  takeOwn(context, kind, block, blockId, justification);
  emit(context, { type: 'propose', kind, block, blockId, justification });
}

/** An own proposal needs no checks; signature and log record follow. */
function takeOwn(
  context: Context,
  kind: ProposalKind,
  block: Block,
  blockId: BlockId,
  justification: readonly Certificate[],
): void {
  const entry = context.tree.add(blockId, block, context.nowMs);
  entry.payload = 'valid';
  entry.logged = true;
  const signature = new Uint8Array(0);
  const { view } = block;
  context.proposals.add({ kind, view, blockId, block, signature, justification, verified: true, asked: false });
}

/** The parent's notarization, then the newest nullifications above it; none for children of genesis in view 1. */
function justificationOf(context: Context, parentView: View, parentId: BlockId, view: View): readonly Certificate[] {
  const found: Certificate[] = [];
  const notarized = context.certificates.notarized(parentView)?.certificate ?? rootCertificate(context, parentId);
  if (notarized) found.push(notarized);
  for (let at = view - 1; at > parentView && found.length <= JUSTIFICATION_NULLIFICATIONS_MAX; at--) {
    const { nullification } = context.certificates.at(asView(at));
    if (nullification) found.push(nullification);
  }
  return found;
}

function rootCertificate(context: Context, parentId: BlockId): Certificate | undefined {
  const { root } = context.setting;
  return bytesEqual(root.blockId, parentId) ? root.certificate : context.lastFinal.certificate;
}

/** Context: the state that the rules of one core share. Rules read and write the stores and push effects; there is no other output. */
import type { PeerKey, TelemetryFields } from '@slipstream/ports';
import type {
  Block,
  BlockId,
  BlockReason,
  Certificate,
  Committee,
  Finalization,
  GenesisHash,
  Height,
  Proposal,
  StateCertificate,
  Subject,
  View,
  Vote,
} from '@slipstream/types';
import { hexOf } from '@slipstream/types';
import type { BlockIntervalEstimator } from './block-interval.ts';
import type { BlockList } from './block-list.ts';
import type { BlockEntry, BlockTree } from './block-tree.ts';
import type { CertificateStore } from './certificate-store.ts';
import type { Confirm, Effect, FetchQuery } from './events.ts';
import type { LeaderSchedule } from './leader-schedule.ts';
import type { ConsensusOptions } from './options.ts';
import type { OwnRecord } from './own-record.ts';
import type { Pacemaker } from './pacemaker.ts';
import type { ProposalArrivals } from './proposal-arrivals.ts';
import type { ProposalStore } from './proposal-store.ts';
import type { Verifications } from './verifications.ts';
import type { BufferId, VoteBuffers } from './vote-buffers.ts';

/** Constant for the life of a core. */
export interface CoreSetting {
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  /** Index in the committee; undefined for a full node. */
  readonly self: number | undefined;
  readonly options: ConsensusOptions;
  /** The newest committed block, with a certificate (its own or a descendant's; none for genesis). */
  readonly root: { readonly block: Block; readonly blockId: BlockId; readonly certificate: Certificate | undefined };
  /** No signature for this view or below (sign-state guard); 0 when the log is trusted. */
  readonly refuseUpToView: number;
  /** Rule 5a, enabled by the operator, applies to refused views up to this one; 0: to none. */
  readonly nullifyUpToView: number;
  readonly restored: Restored;
}

/** Contents of the log, in the order of writing. */
export interface Restored {
  readonly certificates: readonly Certificate[];
  readonly blocks: readonly { readonly blockId: BlockId; readonly block: Block }[];
  readonly votes: readonly Vote[];
  readonly proposals: readonly Proposal[];
}

export const NOTHING_RESTORED: Restored = { certificates: [], blocks: [], votes: [], proposals: [] };

/** Sent in one frame at the end of a step. */
export interface Outbox {
  votes: Subject[];
  certificates: Certificate[];
  confirm: Confirm | undefined;
  /** Since when the outbox waits for a vote that is about to be decided. */
  heldSinceMs: number | undefined;
}

/** A view that this node leads and whose block is being built. */
export interface Building {
  readonly view: View;
  readonly parentId: BlockId;
}

export interface Context {
  readonly setting: CoreSetting;
  readonly memberOfPeer: ReadonlyMap<PeerKey, number>;
  readonly leaderOf: LeaderSchedule;
  readonly certificates: CertificateStore;
  readonly tree: BlockTree;
  readonly proposals: ProposalStore;
  readonly own: OwnRecord;
  readonly votes: VoteBuffers;
  readonly verifications: Verifications;
  readonly blockList: BlockList;
  readonly pacemaker: Pacemaker;
  readonly blockInterval: BlockIntervalEstimator;
  readonly arrivals: ProposalArrivals;
  nowMs: number;
  wallMs: number;
  view: View;
  /** The certificate that entered the current view; undefined in view 1 of a new chain. */
  entry: Certificate | undefined;
  signing: boolean;
  /** No peer holds a Finalize of this validator above this view, so rule 5a begins above it. */
  finalizedUpToView: number;
  pending: boolean;
  building: Building | undefined;
  lastFinal: {
    readonly view: View;
    readonly blockId: BlockId;
    /** When this node learned it. */
    readonly knownMs: number;
    certificate: Finalization | StateCertificate | undefined;
  };
  lastState: { readonly view: View; readonly height: Height; certificate: StateCertificate | undefined };
  /** Blocks that wait for rule 6 (by view) and for rule 7 (by id). */
  readonly toFinalize: Map<number, BlockId>;
  readonly toCertify: Map<string, BlockEntry>;
  /** Height of the newest block that the application has committed. */
  committedHeight: number;
  /** Vote buffers that this step changed. */
  readonly toCheck: Map<string, BufferId>;
  readonly lastMessageMs: number[];
  /** Votes received from each member, and the part that came after a quorum had formed without them: for operators. */
  readonly votesSeen: number[];
  readonly votesLate: number[];
  /** Highest final height that each member reported. */
  readonly finalHeightOf: number[];
  /** Reported views up to which each member casts no vote. */
  readonly refusedViewOf: number[];
  readonly fetches: Map<string, number>;
  retryAtMs: number;
  heartbeatAtMs: number;
  readonly outbox: Outbox;
  readonly effects: Effect[];
  wakeAtMs: number;
}

export function emit(context: Context, effect: Effect): void {
  context.effects.push(effect);
}

export function report(context: Context, event: string, fields: TelemetryFields): void {
  context.effects.push({ type: 'report', event, fields });
}

/** How far above the current view blocks are proposed and prepared: up to the child of the newest block that may get a vote. */
export function viewsAhead({ setting }: Context): number {
  return 1 + setting.options.earlyVoteViews;
}

/** Requests a tick at this time at the latest. */
export function wakeAt(context: Context, atMs: number): void {
  if (atMs < context.wakeAtMs) context.wakeAtMs = atMs;
}

export function memberOf(context: Context, peer: PeerKey): number | undefined {
  return context.memberOfPeer.get(peer);
}

export function peerOf(context: Context, member: number): PeerKey {
  return context.setting.committee.members[member]?.peerKey as PeerKey;
}

/** Decides a vote; it is sent at the end of the step. */
export function castVote(context: Context, subject: Subject): void {
  context.own.decide(subject);
  context.outbox.votes.push(subject);
}

export function maySign(context: Context, view: View): boolean {
  return context.setting.self !== undefined && context.signing && view > context.setting.refuseUpToView;
}

/** A fetch is repeated until it succeeds, at most once per retryMs. */
export function want(context: Context, key: string, query: FetchQuery, hint: readonly number[]): void {
  const nextMs = context.fetches.get(key);
  if (nextMs === undefined || context.nowMs >= nextMs) {
    context.fetches.set(key, context.nowMs + context.setting.options.retryMs);
    emit(context, { type: 'fetch', query, hint: hint.filter((member) => member !== context.setting.self) });
  }
  wakeAt(context, context.fetches.get(key) as number);
}

export function wantBlock(context: Context, blockId: BlockId, hint: readonly number[]): void {
  want(context, `block/${hexOf(blockId)}`, { type: 'block', blockId }, hint);
}

export function wantCertificates(context: Context, from: View, to: View): void {
  want(context, `certificates/${from}/${to}`, { type: 'certificates', from, to }, []);
}

/** Blocks a peer by identity. A peer outside the committee has no weight, so no limit applies. */
export function blockPeer(context: Context, peer: PeerKey, reason: BlockReason, detail: string): void {
  const member = memberOf(context, peer);
  if (member !== undefined) return blockMember(context, member, reason, detail);
  // One frame of such a peer may hold many offences.
  if (context.effects.some((effect) => effect.type === 'block-peer' && effect.peer === peer)) return;
  emit(context, { type: 'block-peer', peer, reason, detail });
  report(context, 'peer.blocked', { peer, reason, detail, view: context.view });
}

/** Blocks a member, or raises the alert when too many are blocked. */
export function blockMember(context: Context, member: number, reason: BlockReason, detail: string): void {
  if (member === context.setting.self) return;
  const decision = context.blockList.block(member);
  const fields = { member, reason, detail, view: context.view };
  if (decision === 'blocked') {
    emit(context, { type: 'block-peer', peer: peerOf(context, member), reason, detail });
    report(context, 'peer.blocked', fields);
  } else if (decision === 'suspect') {
    report(context, 'alert.raised', { ...fields, rule: 'too-many-offenders' });
  }
}

/** The block that may be built on in a view: certified there, or the last final block. */
export function notarizedIn(context: Context, view: View): BlockId | undefined {
  if (view === context.lastFinal.view) return context.lastFinal.blockId;
  return context.certificates.notarized(view)?.blockId;
}

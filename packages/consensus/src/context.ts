/** Context: the state that a core's rules share. Rules read and write it and push effects, and have no other output. */
import type { PeerKey, TelemetryFields } from '@slipstream/ports';
import type { Durable } from '@slipstream/primitives';
import type {
  Block,
  BlockId,
  BlockReason,
  Certificate,
  Committee,
  Epoch,
  Finalization,
  GenesisHash,
  Height,
  LeaderSchedule,
  Proposal,
  RecordHash,
  StateCertificate,
  Subject,
  View,
  Vote,
} from '@slipstream/types';
import { view as asView, hexOf } from '@slipstream/types';
import type { BlockIntervalEstimator } from './block-interval.ts';
import type { BlockList } from './block-list.ts';
import type { BlockEntry, BlockTree } from './block-tree.ts';
import type { CertificateStore } from './certificate-store.ts';
import type { Confirm, Effect, FetchQuery } from './events.ts';
import type { ConsensusOptions, VoteChecks } from './options.ts';
import type { OwnRecord } from './own-record.ts';
import type { Pacemaker } from './pacemaker.ts';
import type { ProposalArrivals } from './proposal-arrivals.ts';
import type { ProposalStore } from './proposal-store.ts';
import type { Verifications } from './verifications.ts';
import type { BufferId, VoteBuffers } from './vote-buffers.ts';

interface Root {
  readonly block: Block;
  readonly blockId: BlockId;
  /** Undefined for genesis, and for the boundary of the epoch before: both are final by definition. */
  readonly certificate: Certificate | undefined;
  /** Of a boundary, which may be final before it is certified and committed. */
  readonly below?: { readonly committedHeight: number; readonly certifiedHeight: number };
}

export interface CoreSetting {
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  /** Committee index; undefined for a full node. */
  readonly self: number | undefined;
  readonly options: ConsensusOptions;
  /** The newest committed block, with its certificate or a descendant's; none for genesis. */
  readonly root: Root;
  /** By the sign state; 0 when the log is trusted. */
  readonly refuseUpToView: number;
  /** Rule 5a applies up to this refused view; 0: to none. */
  readonly nullifyUpToView: number;
  readonly restored: Restored;
  /** By the log the epoch is over: only Certify is signed (rule 10). Default: false. */
  readonly ended?: boolean | undefined;
  /** Known as offenders from the epoch before. */
  readonly blocked?: readonly number[] | undefined;
  /** By member, as reported in the epoch before. Default: none. */
  readonly finalHeightOf?: readonly number[] | undefined;
  /** Default: at quorum. Others are for development chains. */
  readonly voteChecks?: VoteChecks | undefined;
}

/** Of one epoch, from the log, in the order of writing. */
export interface Restored {
  readonly certificates: readonly Certificate[];
  readonly blocks: readonly { readonly blockId: BlockId; readonly block: Block }[];
  readonly votes: readonly Durable<Vote>[];
  readonly proposals: readonly Durable<Proposal>[];
}

export const NOTHING_RESTORED: Restored = { certificates: [], blocks: [], votes: [], proposals: [] };

/** One frame at the end of a step. */
export interface Outbox {
  votes: Subject[];
  certificates: Certificate[];
  confirm: Confirm | undefined;
  /** Start of the wait for a vote that will soon be decided. */
  heldSinceMs: number | undefined;
}

/** This node leads the view and builds its block. */
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
  /** It entered the current view; undefined in view 1 of a new chain. */
  entry: Certificate | undefined;
  signing: boolean;
  /** No peer holds an own Finalize above this view; rule 5a begins above it. */
  finalizedUpToView: number;
  pending: boolean;
  building: Building | undefined;
  lastFinal: {
    readonly view: View;
    readonly blockId: BlockId;
    /** Local time. */
    readonly knownMs: number;
    certificate: Finalization | StateCertificate | undefined;
  };
  lastState: { readonly view: View; readonly height: Height; certificate: StateCertificate | undefined };
  /** Blocks that wait for rule 6, by view, and for rule 7, by id. */
  readonly toFinalize: Map<number, BlockId>;
  readonly toCertify: Map<string, BlockEntry>;
  /** Certified: the record of the next epoch, and the height that sealed it. */
  seal: { readonly recordHash: RecordHash; readonly height: number } | undefined;
  /** By the log. */
  readonly ended: boolean;
  /** The boundary, once it is delivered. */
  closed: BlockEntry | undefined;
  /** By the application. */
  committedHeight: number;
  /** Vote buffers of which a quorum may have become ready in this step. */
  readonly toCheck: Map<string, BufferId>;
  readonly lastMessageMs: number[];
  /** Since then frames of a quorum came without a break (rule 5b). */
  quorumSinceMs: number;
  /** By member: received votes, and those that came after a quorum formed without them. */
  readonly votesSeen: number[];
  readonly votesLate: number[];
  /** As each member reported. */
  readonly finalHeightOf: number[];
  /** As any peer reported from a later epoch, until a peer has no such block. It is fetched, and nothing else follows from it. */
  laterHeight: number;
  /** As reported: the member casts no vote up to this view. */
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

/** W10: every message of a core is of its epoch. */
export function epochOf({ setting }: Pick<Context, 'setting'>): Epoch {
  return setting.committee.epoch;
}

/** W11: what is of another epoch is ignored, without blame. */
export function isOfEpoch(context: Pick<Context, 'setting'>, { epoch }: { readonly epoch: Epoch }): boolean {
  return epoch === epochOf(context);
}

/** Votes, certificates and own marks of earlier views are not retained. */
export function oldestRetainedView({ lastFinal, setting }: Context): View {
  return asView(Math.max(0, lastFinal.view - setting.options.retentionViews));
}

/** Views above the current one for which blocks are proposed: up to the child of the newest block that may get a vote. */
export function viewsAhead({ setting }: Context): number {
  return 1 + setting.options.earlyVoteViews;
}

/** Requests a tick by this time. */
export function wakeAt(context: Context, atMs: number): void {
  if (atMs < context.wakeAtMs) context.wakeAtMs = atMs;
}

export function memberOf(context: Context, peer: PeerKey): number | undefined {
  return context.memberOfPeer.get(peer);
}

export function peerOf(context: Context, member: number): PeerKey {
  return context.setting.committee.members[member]?.peerKey as PeerKey;
}

/** The vote is sent at the end of the step. */
export function castVote(context: Context, subject: Subject): void {
  context.own.decide(subject);
  context.outbox.votes.push(subject);
}

/** Rule 10: past the boundary only Certify up to it. */
export function maySign(context: Context, view: View): boolean {
  return context.closed === undefined && !context.ended && mayCertify(context, view);
}

export function mayCertify(context: Context, view: View): boolean {
  return context.setting.self !== undefined && context.signing && view > context.setting.refuseUpToView;
}

/** Repeats until it succeeds, at most once per retryMs. */
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

/** A peer outside the committee has no weight, so no limit applies to it. */
export function blockPeer(context: Context, peer: PeerKey, reason: BlockReason, detail: string): void {
  const member = memberOf(context, peer);
  if (member !== undefined) return blockMember(context, member, reason, detail);
  // One frame may hold many offences.
  if (context.effects.some((effect) => effect.type === 'block-peer' && effect.peer === peer)) return;
  emit(context, { type: 'block-peer', peer, reason, detail });
  report(context, 'peer.blocked', { peer, reason, detail, view: context.view });
}

/** Raises an alert instead when too many members are blocked. */
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

/** The block of a view that may be built on: certified, or the last final one. */
export function notarizedIn(context: Context, view: View): BlockId | undefined {
  if (view === context.lastFinal.view) return context.lastFinal.blockId;
  return context.certificates.notarized(view)?.blockId;
}

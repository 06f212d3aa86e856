/**
 * Core state: everything that a core keeps between two events, as plain data.
 *
 *   fresh (from the last committed block) --> context: stores over the state --> state again
 *
 * A core continues from a state exactly, because rules depend only on state and setting. Flight-recorder files begin with a state.
 */
import { height as asHeight, view as asView, createLeaderSchedule, type StateCertificate } from '@slipstream/types';
import { type BlockIntervalState, createBlockIntervalEstimator } from './block-interval.ts';
import { type BlockListState, createBlockList } from './block-list.ts';
import { type BlockTreeState, createBlockTree } from './block-tree.ts';
import { type CertificateStoreState, createCertificateStore } from './certificate-store.ts';
import type { Context, CoreSetting } from './context.ts';
import { createOwnRecord, type OwnRecordState } from './own-record.ts';
import { createPacemaker, type PacemakerState } from './pacemaker.ts';
import { createProposalArrivals, type ProposalArrivalsState } from './proposal-arrivals.ts';
import { createProposalStore, type ProposalStoreState } from './proposal-store.ts';
import { createVerifications, type VerificationsState } from './verifications.ts';
import { createVoteBuffers, type VoteBuffersState } from './vote-buffers.ts';

/** Fields of the context outside its stores. */
type Remembered = Omit<Context, 'setting' | 'memberOfPeer' | 'leaderOf' | keyof Stores>;

interface Stores {
  readonly certificates: CertificateStoreState;
  readonly tree: BlockTreeState;
  readonly proposals: ProposalStoreState;
  readonly own: OwnRecordState;
  readonly votes: VoteBuffersState;
  readonly verifications: VerificationsState;
  readonly blockList: BlockListState;
  readonly pacemaker: PacemakerState;
  readonly blockInterval: BlockIntervalState;
  readonly arrivals: ProposalArrivalsState;
}

export interface CoreState {
  /** Empty at first: each store creates its initial state. */
  readonly stores: Partial<Stores>;
  readonly remembered: Remembered;
}

/** Knows only the last committed block. */
export function freshState(
  { root, options, committee, self, refuseUpToView, ended = false, finalHeightOf = [] }: CoreSetting,
  nowMs: number,
  wallMs: number,
): CoreState {
  const { view, height } = root.block;
  const certificate = root.certificate as Context['lastFinal']['certificate'];
  const state = root.certificate?.subject.kind === 'certify' ? (root.certificate as StateCertificate) : undefined;
  return {
    stores: {},
    remembered: {
      nowMs,
      wallMs,
      view: asView(view + 1),
      entry: undefined,
      signing: false,
      finalizedUpToView: 0,
      pending: false,
      building: undefined,
      lastFinal: { view, blockId: root.blockId, knownMs: nowMs, certificate },
      lastState: { view, height: asHeight(root.below?.certifiedHeight ?? height), certificate: state },
      toFinalize: new Map(),
      toCertify: new Map(),
      seal: undefined,
      ended,
      closed: undefined,
      committedHeight: root.below?.committedHeight ?? height,
      toCheck: new Map(),
      lastMessageMs: committee.members.map(() => nowMs),
      quorumSinceMs: nowMs,
      votesSeen: committee.members.map(() => 0),
      votesLate: committee.members.map(() => 0),
      finalHeightOf: committee.members.map(({ index }) => finalHeightOf[index] ?? 0),
      laterHeight: 0,
      refusedViewOf: committee.members.map(({ index }) => (index === self ? refuseUpToView : 0)),
      fetches: new Map(),
      retryAtMs: nowMs + options.retryMs,
      heartbeatAtMs: nowMs,
      outbox: { votes: [], certificates: [], confirm: undefined, heldSinceMs: undefined },
      effects: [],
      wakeAtMs: Number.POSITIVE_INFINITY,
    },
  };
}

export function contextOf(setting: CoreSetting, { stores, remembered }: CoreState): Context {
  const { root, options, committee, genesisHash } = setting;
  return {
    setting,
    memberOfPeer: new Map(committee.members.map(({ peerKey, index }) => [peerKey, index])),
    leaderOf: createLeaderSchedule(committee, genesisHash),
    certificates: createCertificateStore({ view: root.block.view, blockId: root.blockId }, stores.certificates),
    tree: createBlockTree(root.blockId, root.block, remembered.nowMs, stores.tree),
    proposals: createProposalStore(stores.proposals),
    own: createOwnRecord(stores.own),
    votes: createVoteBuffers(genesisHash, committee, stores.votes),
    verifications: createVerifications(stores.verifications),
    blockList: createBlockList(committee, stores.blockList),
    pacemaker: createPacemaker(options, stores.pacemaker),
    blockInterval: createBlockIntervalEstimator(options, stores.blockInterval),
    arrivals: createProposalArrivals(stores.arrivals),
    ...remembered,
  };
}

/** Not a copy: the next event changes it. */
export function stateOf(context: Context): CoreState {
  const { setting, memberOfPeer, leaderOf, certificates, tree, proposals, own, votes, ...rest } = context;
  const { verifications, blockList, pacemaker, blockInterval, arrivals, ...remembered } = rest;
  return {
    stores: {
      certificates: certificates.state,
      tree: tree.state,
      proposals: proposals.state,
      own: own.state,
      votes: votes.state(),
      verifications: verifications.state,
      blockList: blockList.state,
      pacemaker: pacemaker.state,
      blockInterval: blockInterval.state,
      arrivals: arrivals.state,
    },
    remembered,
  };
}

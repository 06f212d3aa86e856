/** Own record: what this validator has signed or will sign. A mark is set before the signature exists; setting it asserts I1, I2 and I5. */
import { assert, bytesEqual, type Durable } from '@slipstream/primitives';
import type { BlockId, Proposal, ProposalKind, Subject, View, Vote } from '@slipstream/types';

export interface OwnView {
  notarize?: BlockId;
  nullify?: boolean;
  finalize?: BlockId;
  certify?: BlockId;
  optimistic?: BlockId;
  normal?: BlockId;
}

export interface OwnRecord {
  at(view: View): Readonly<OwnView>;
  /** Throws when the vote contradicts an earlier one. This node must not sign it: it has a bug, or a third of the weight is faulty (I5). */
  decide(subject: Subject): void;
  decideProposal(view: View, kind: ProposalKind, blockId: BlockId): void;
  hasCertified(view: View, blockId: BlockId): boolean;
  /** The vote may be resent unchanged. */
  keep(vote: Durable<Vote>): void;
  keepProposal(proposal: Durable<Proposal>): void;
  votes(view: View): readonly Durable<Vote>[];
  proposal(view: View, kind: ProposalKind): Durable<Proposal> | undefined;
  /** Own state votes above a height, newest last. */
  certifies(aboveHeight: number): readonly Durable<Vote>[];
  prune(below: View): void;
  /** The highest view that own votes prove entered. A Notarize after one in the previous view may have been early. */
  readonly highestEnteredView: number;
  readonly state: OwnRecordState;
}

/** Plain data. */
export interface OwnRecordState {
  readonly views: Map<number, OwnView>;
  readonly votes: Map<number, Durable<Vote>[]>;
  readonly proposals: Map<string, Durable<Proposal>>;
  highestEnteredView: number;
}

const nothingOwn = (): OwnRecordState => ({
  views: new Map(),
  votes: new Map(),
  proposals: new Map(),
  highestEnteredView: 0,
});

export function createOwnRecord(state: OwnRecordState = nothingOwn()): OwnRecord {
  const { views, votes, proposals } = state;

  function entry(view: View): OwnView {
    const existing = views.get(view);
    if (existing) return existing;
    const fresh: OwnView = {};
    views.set(view, fresh);
    return fresh;
  }

  function decide(subject: Subject): void {
    switch (subject.kind) {
      case 'notarize': {
        const own = entry(subject.view);
        assert(own.notarize === undefined, `I1: one Notarize per view (${subject.view})`);
        assert(!own.nullify, `rule 4: no Notarize after Nullify (${subject.view})`);
        own.notarize = subject.blockId;
        const before = views.get(subject.view - 1)?.notarize;
        state.highestEnteredView = Math.max(state.highestEnteredView, before ? subject.view - 1 : subject.view);
        break;
      }
      case 'nullify': {
        const own = entry(subject.view);
        assert(own.finalize === undefined, `I2: never both Nullify and Finalize (${subject.view})`);
        own.nullify = true;
        state.highestEnteredView = Math.max(state.highestEnteredView, subject.view);
        break;
      }
      case 'finalize': {
        const own = entry(subject.view);
        assert(!own.nullify, `I2: never both Nullify and Finalize (${subject.view})`);
        assert(own.finalize === undefined, `one Finalize per view (${subject.view})`);
        own.finalize = subject.blockId;
        break;
      }
      case 'certify': {
        const own = entry(subject.view);
        assert(own.certify === undefined, `I5: one Certify per view (${subject.view})`);
        own.certify = subject.blockId;
        break;
      }
    }
  }

  function decideProposal(view: View, kind: ProposalKind, blockId: BlockId): void {
    const own = entry(view);
    assert(own[kind] === undefined, `one ${kind} proposal per view (${view})`);
    own[kind] = blockId;
  }

  return {
    at: (view) => views.get(view) ?? {},
    decide,
    decideProposal,
    hasCertified(view, blockId) {
      const certified = views.get(view)?.certify;
      return certified !== undefined && bytesEqual(certified, blockId);
    },
    keep(vote) {
      const kept = votes.get(vote.subject.view) ?? [];
      kept.push(vote);
      votes.set(vote.subject.view, kept);
    },
    keepProposal(proposal) {
      proposals.set(`${proposal.block.view}/${proposal.kind}`, proposal);
    },
    votes: (view) => votes.get(view) ?? [],
    proposal: (view, kind) => proposals.get(`${view}/${kind}`),
    certifies(aboveHeight) {
      const found: Durable<Vote>[] = [];
      for (const kept of votes.values()) {
        for (const vote of kept) {
          if (vote.subject.kind === 'certify' && vote.subject.height > aboveHeight) found.push(vote);
        }
      }
      return found;
    },
    prune(below) {
      for (const view of views.keys()) if (view < below) views.delete(view);
      for (const view of votes.keys()) if (view < below) votes.delete(view);
      for (const [key, { block }] of proposals) if (block.view < below) proposals.delete(key);
    },
    get highestEnteredView() {
      return state.highestEnteredView;
    },
    state,
  };
}

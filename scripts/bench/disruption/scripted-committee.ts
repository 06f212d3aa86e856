/**
 * All members but one, as a script: it votes on every block of the real node's chain, honestly or as a strategy says.
 *
 *   the node enters view v --> proposal of v's leader, or none   --> Notarize(v) of all --> Finalize(v) and Certify(v) of all
 *                                                         \--> Nullify(v) of all
 *
 * A blocked member's frames do not arrive, as with the real transport. If it led the view, the node fetches its block from another.
 */
import type { PeerKey, PeerStatus, Transport } from '@slipstream/ports';
import { assert, sha256 } from '@slipstream/primitives';
import { EPOCH_MS, type Simulation } from '@slipstream/simulator';
import {
  asId,
  view as asView,
  type Block,
  type BlockId,
  blockIdOf,
  decodeFrame,
  encodeFrame,
  GENESIS_EPOCH,
  height,
  hexOf,
  payloadRootOf,
  proposalMessage,
  type StateDigest,
  type Subject,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import type { SimulatedChain } from '../../../test/simulation/harness/committee.ts';
import type { SignatureScheme } from '../../../test/simulation/harness/scheme.ts';

export interface Strategy {
  readonly name: string;
  /** The signature of this vote is wrong. */
  lies(member: number, view: number): boolean;
  /** Subjects that a member signs wrongly in this view, besides. */
  ahead(member: number, view: number): readonly Subject[];
  /** As a leader it proposes nothing. */
  isSilent(leader: number): boolean;
}

/** One way. */
const DELAY_MS = 20;
const JITTER_MS = 10;
/** Of a view whose leader proposes nothing, at every member. */
const TIMEOUT_MS = 1000;

export interface ScriptedCommittee {
  readonly transport: Transport;
  /** By member: how often the node blocked it. */
  readonly blocks: ReadonlyMap<number, number>;
  /** The node entered this view. */
  entered(view: number): void;
}

export interface ScriptSetting {
  readonly chain: SimulatedChain;
  readonly scheme: SignatureScheme;
  /** The real node. */
  readonly self: number;
  readonly strategy: Strategy;
  leaderOf(view: number): number;
}

type Handler = Parameters<Transport['onFrame']>[0];

export function createScriptedCommittee(simulation: Simulation, setting: ScriptSetting): ScriptedCommittee {
  const { chain, scheme, self, strategy, leaderOf } = setting;
  const { committee, genesisHash } = chain;
  const others = committee.members.map(({ index }) => index).filter((member) => member !== self);
  const peerOf = (member: number) => committee.members[member]?.peerKey as PeerKey;
  const memberOf = new Map(committee.members.map(({ peerKey, index }) => [peerKey, index]));
  const random = simulation.random('script');
  const blocks = new Map<number, number>();
  const proposed = new Map<string, Block>();
  const peers = others.map((member) => statusOf(peerOf(member)));
  let handle: Handler = () => {};
  let onPeer: Parameters<Transport['onPeer']>[0] = () => {};
  let tip: Tip = { block: chain.genesis, id: chain.genesisId };

  function arrive(member: number, lane: Parameters<Handler>[1], frame: Uint8Array, afterMs: number): void {
    simulation.schedule(afterMs, () => {
      if (!blocks.has(member)) handle(peerOf(member), lane, frame);
    });
  }

  async function castAll(subjects: readonly Subject[], afterMs: number, view: number, isFirst: boolean): Promise<void> {
    for (const member of others) {
      if (blocks.has(member)) continue;
      const lies = strategy.lies(member, view);
      const votes: Vote[] = [];
      for (const subject of subjects) votes.push(await voteOf(setting, subject, member, lies));
      for (const subject of isFirst ? strategy.ahead(member, view) : [])
        votes.push(await voteOf(setting, subject, member, true));
      // A liar is near the node: a late vote is in no check.
      const jitterMs = lies ? 0 : random.unit() * JITTER_MS;
      const frame = encodeFrame('consensus', { votes, certificates: [], confirmations: [] });
      arrive(member, 'consensus', frame, afterMs + jitterMs);
    }
  }

  /** The leader's, at the node's; every member votes for it. */
  function voteFor(block: Block): void {
    const id = blockIdOf(block);
    tip = { block, id };
    proposed.set(hexOf(id), block);
    const stateDigest = asId<StateDigest>(sha256(id));
    const { epoch, view, height } = block;
    void castAll([{ kind: 'notarize', epoch, view, blockId: id }], DELAY_MS, view, true);
    const certify = { kind: 'certify', epoch, view, height, blockId: id, stateDigest } as const;
    void castAll([{ kind: 'finalize', epoch, view, blockId: id }, certify], 3 * DELAY_MS, view, false);
  }

  async function propose(view: number, leader: number): Promise<void> {
    const block = blockOn(tip, view, leader, EPOCH_MS + Math.floor(simulation.nowMs));
    const message = proposalMessage(genesisHash, block, 'normal', blockIdOf(block));
    const [signature] = await scheme.signer(leader).sign([message]);
    const proposal = { kind: 'normal', block, justification: [], signature: signature as Uint8Array } as const;
    simulation.schedule(DELAY_MS, () => handle(peerOf(leader), 'proposal', encodeFrame('proposal', proposal)));
    voteFor(block);
  }

  function entered(view: number): void {
    const leader = leaderOf(view);
    if (leader === self) return; // its own proposal: see broadcast
    if (blocks.has(leader) || strategy.isSilent(leader)) {
      void castAll([{ kind: 'nullify', epoch: GENESIS_EPOCH, view: asView(view) }], TIMEOUT_MS, view, true);
    } else void propose(view, leader);
  }

  function onBroadcast(frame: Uint8Array): void {
    const decoded = decodeFrame(frame);
    if (!decoded.ok) return;
    const sent = decoded.value;
    if (sent.name === 'proposal') voteFor(sent.value.block);
    if (sent.name === 'historyQuery') for (const member of others) answerHistory(member, sent.value.nonce);
  }

  function answerHistory(member: number, nonce: number): void {
    const answer = { epoch: GENESIS_EPOCH, nonce, votes: [], certificates: [], proposals: [] };
    arrive(member, 'proposal', encodeFrame('historyAnswer', answer), DELAY_MS);
  }

  function onRequest(peer: PeerKey, frame: Uint8Array): void {
    const decoded = decodeFrame(frame);
    if (!decoded.ok || decoded.value.name !== 'syncRequest' || decoded.value.value.query !== 'block') return;
    const { requestId, id } = decoded.value.value;
    const known = proposed.get(hexOf(asId<BlockId>(id)));
    const response = { requestId, blocks: known ? [known] : [], certificates: [], chunks: [], more: false };
    arrive(memberOf.get(peer) as number, 'sync', encodeFrame('syncResponse', response), DELAY_MS);
  }

  return {
    blocks,
    entered,
    transport: {
      self: peerOf(self),
      send(peer, _lane, frame) {
        onRequest(peer, frame);
        return true;
      },
      broadcast: (_lane, frame) => onBroadcast(frame),
      peers: () => peers,
      onFrame(handler) {
        handle = handler;
      },
      onPeer(handler) {
        onPeer = handler;
      },
      block(peer) {
        const member = memberOf.get(peer);
        assert(member !== undefined, 'the node knows members alone');
        blocks.set(member, (blocks.get(member) ?? 0) + 1);
      },
      unblock() {},
      async start() {
        for (const member of others) onPeer({ type: 'connected', peer: peerOf(member) });
      },
      async stop() {},
    },
  };
}

interface Tip {
  readonly block: Block;
  readonly id: BlockId;
}

function blockOn({ block: parent, id }: Tip, view: number, proposer: number, nowMs: number): Block {
  return {
    epoch: GENESIS_EPOCH,
    view: asView(view),
    height: height(parent.height + 1),
    parentId: id,
    parentView: parent.view,
    timestampMs: Math.max(parent.timestampMs + 1, nowMs),
    proposer,
    payload: [],
    payloadRoot: payloadRootOf([]),
    next: undefined,
  };
}

async function voteOf(
  { scheme, chain }: Pick<ScriptSetting, 'scheme' | 'chain'>,
  subject: Subject,
  signer: number,
  isBad: boolean,
): Promise<Vote> {
  const message = subjectMessage(chain.genesisHash, subject);
  // A valid signature over another message.
  const [signature] = await scheme.signer(signer).sign([isBad ? sha256(message) : message]);
  return { subject, signer, signature: signature as Uint8Array };
}

function statusOf(peer: PeerKey): PeerStatus {
  const traffic = { bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0, framesDropped: 0, queuedBytes: 0 };
  return { peer, connected: true, blocked: false, address: undefined, role: 'validator', roundTripMs: 1, ...traffic };
}

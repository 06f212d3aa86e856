/**
 *   real consensus --> decode --> rewrite(frame, receiver) --> the returned frames leave
 */
import type { Lane, PeerKey, Transport } from '@slipstream/ports';
import type { NodeWorld, SeededRandom } from '@slipstream/simulator';
import {
  asId,
  type Block,
  type BlockId,
  blockIdOf,
  type ConsensusFrame,
  decodeFrame,
  encodeFrame,
  FRAMES,
  type Frame,
  type FrameName,
  hexOf,
  type Proposal,
  type ProposalKind,
  proposalMessage,
  type Subject,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import type { NodeCode } from '../harness/cluster.ts';
import { startValidator, type ValidatorSetting } from '../harness/validator.ts';

export interface Liar {
  readonly self: number;
  readonly setting: ValidatorSetting;
  readonly world: NodeWorld;
  readonly random: SeededRandom;
  /** With the member's key. */
  vote<S extends Subject>(subject: S): Promise<Vote<S>>;
  proposal(kind: ProposalKind, block: Block, blockId: BlockId): Promise<Uint8Array>;
  send(to: PeerKey, frame: Frame | Uint8Array): void;
  broadcast(frame: Frame | Uint8Array): void;
  randomId(): BlockId;
  /** So many steps below, if its proposals were seen. */
  ancestor(block: Block, steps: number): Block | undefined;
  /** The lowest seen block of this epoch that closes it. */
  boundaryOf(epoch: number): Block | undefined;
  /** Call with every frame received or made. */
  see(bytes: Uint8Array): void;
}

const BLOCKS_MAX = 256;

/** `to`: index in the committee, -1 for a full node. The result replaces the frame. */
export type Rewrite = (frame: Frame, to: number) => Promise<readonly (Frame | Uint8Array)[]>;

export function encodeAny(frame: Frame | Uint8Array): Uint8Array {
  return frame instanceof Uint8Array ? frame : encodeFrame(frame.name, frame.value as never);
}

function laneOf(bytes: Uint8Array): Lane {
  return Object.values(FRAMES).find(({ kind }) => kind === bytes[0])?.lane ?? 'consensus';
}

export function createLiar(world: NodeWorld, setting: ValidatorSetting): Liar {
  const { genesisHash } = setting.chain;
  const self = setting.self as number;
  const { transport } = world;
  const blocks = new Map<string, Block>();
  const boundaries = new Map<number, Block>();

  function ancestor(block: Block, steps: number): Block | undefined {
    let at: Block | undefined = block;
    for (let i = 0; i < steps && at; i++) at = blocks.get(hexOf(at.parentId));
    return at;
  }

  function see(bytes: Uint8Array): void {
    const decoded = bytes[0] === FRAMES.proposal.kind ? decodeFrame(bytes) : undefined;
    if (!decoded?.ok || decoded.value.name !== 'proposal') return;
    const { block } = decoded.value.value;
    blocks.set(hexOf(blockIdOf(block)), block);
    const lowest = boundaries.get(block.epoch);
    if (block.next !== undefined && (lowest === undefined || block.view < lowest.view))
      boundaries.set(block.epoch, block);
    const [oldest] = blocks.keys();
    if (blocks.size > BLOCKS_MAX && oldest !== undefined) blocks.delete(oldest);
  }

  function send(to: PeerKey, frame: Frame | Uint8Array): void {
    const bytes = encodeAny(frame);
    transport.send(to, laneOf(bytes), bytes);
  }

  return {
    self,
    setting,
    world,
    random: world.random.fork('liar'),
    async vote(subject) {
      const [signature] = await setting.signer.sign([subjectMessage(genesisHash, subject)]);
      return { subject, signer: self, signature: signature as Uint8Array };
    },
    async proposal(kind, block, blockId) {
      const [signature] = await setting.signer.sign([proposalMessage(genesisHash, block, kind, blockId)]);
      return signature as Uint8Array;
    },
    send,
    broadcast(frame) {
      const bytes = encodeAny(frame);
      transport.broadcast(laneOf(bytes), bytes);
    },
    randomId: () => asId<BlockId>(world.random.bytes(32)),
    ancestor,
    boundaryOf: (epoch) => boundaries.get(epoch),
    see,
  };
}

export function corrupted(lie: (liar: Liar) => Rewrite): NodeCode {
  return (world, setting) => {
    const liar = createLiar(world, setting);
    return startValidator({ ...world, transport: rewriting(liar, lie(liar)) }, setting);
  };
}

function rewriting({ world: { transport }, setting: { chain }, see }: Liar, rewrite: Rewrite): Transport {
  let leaving: Promise<void> = Promise.resolve();

  function send(to: PeerKey, lane: Lane, bytes: Uint8Array): boolean {
    see(bytes);
    const decoded = decodeFrame(bytes);
    const member = chain.committee.members.find(({ peerKey }) => peerKey === to)?.index ?? -1;
    leaving = leaving.then(async () => {
      const frames = decoded.ok ? await rewrite(decoded.value, member) : [bytes];
      for (const frame of frames) {
        const rewritten = encodeAny(frame);
        transport.send(to, frame instanceof Uint8Array ? lane : laneOf(rewritten), rewritten);
      }
    });
    return true;
  }

  return {
    ...transport,
    self: transport.self,
    send,
    onFrame(handler) {
      transport.onFrame((from, lane, frame) => {
        see(frame);
        handler(from, lane, frame);
      });
    },
    broadcast(lane, frame) {
      for (const { peer, connected } of transport.peers()) if (connected) send(peer, lane, frame);
    },
  };
}

export function frameOf<Name extends FrameName>(name: Name, value: Extract<Frame, { name: Name }>['value']): Frame {
  return { name, value } as Frame;
}

const NOTHING: ConsensusFrame = { certificates: [], votes: [], confirmations: [] };

export function votesFrame(votes: readonly Vote[]): Frame {
  return frameOf('consensus', { ...NOTHING, votes });
}

export function rewriteVotes(change: (vote: Vote, to: number) => Promise<readonly Vote[]> | readonly Vote[]): Rewrite {
  return async (frame, to) => {
    if (frame.name !== 'consensus') return [frame];
    const votes: Vote[] = [];
    for (const vote of frame.value.votes) votes.push(...(await change(vote, to)));
    return [frameOf('consensus', { ...frame.value, votes })];
  };
}

/** Same view, parent and proposer, another timestamp. */
export function rivalOf(block: Block): Block {
  return { ...block, timestampMs: block.timestampMs + 1 };
}

export type { Proposal };

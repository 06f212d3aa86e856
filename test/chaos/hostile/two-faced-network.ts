/**
 * A real validator that shows two valid blocks in each view it leads.
 *
 *   real node --> own proposal --> unchanged to some peers; its rival (another timestamp) to the others
 *             \-> own votes and confirmations --> for the block that the receiver saw, or none at all
 *
 * Its notarize votes are late: without them none of its blocks is notarized, so peers append the other block ahead, and must revert it. One
 * block is notarized, or the other, or none, by view, or by the file `two-faced` in its home folder, where its actions are logged.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBlsSigner } from '@slipstream/crypto/native';
import type { NetworkTransport } from '@slipstream/network';
import type { Config } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import type { Lane, PeerKey } from '@slipstream/ports';
import {
  type Block,
  blockIdOf,
  type Confirmation,
  decodeFrame,
  encodeFrame,
  hexOf,
  type Proposal,
  type ProposalKind,
  proposalMessage,
  subjectMessage,
  type View,
  type Vote,
} from '@slipstream/types';
import { openNetwork as openRealNetwork, parsePeers } from '../../../apps/node/src/assembly/network.ts';
import type { NodeWorld } from '../../../apps/node/src/assembly/node-world.ts';
import { DEEDS, type Deed, MANNER, type Manner } from './two-faced-deeds.ts';

export { parsePeers };

type Faces = Pick<Deed, 'shown' | 'votes'> & { readonly block: Block; readonly rival: Block };

/** Own blocks whose rivals are retained: far more than lie between a proposal and the last vote for it. */
const BLOCKS_MAX = 256;
/** Far above executing and appending a small block, below the wait for a notarization (viewTimeoutMs, 400). */
const VOTE_LATE_MS = 150;

export function openNetwork(
  identity: Identity,
  config: Config,
  world: NodeWorld,
  epochs: Parameters<typeof openRealNetwork>[3],
): NetworkTransport {
  const transport = openRealNetwork(identity, config, world, epochs);
  const { validator, committee } = identity;
  if (validator === undefined) throw new Error('only a validator can be two-faced');
  const honest = committee.members.flatMap(({ index, peerKey }) => (index === validator.index ? [] : [peerKey]));
  const faces = createFaces(identity, validator, honest);
  const peersOf = () => transport.peers().flatMap(({ peer, connected }) => (connected ? [peer] : []));
  const send = (to: PeerKey, lane: Lane, frame: Uint8Array) => {
    const { now, late } = faces.rewritten(frame, to);
    if (late !== undefined) setTimeout(() => transport.send(to, lane, late), VOTE_LATE_MS);
    return now.map((each) => transport.send(to, lane, each)).every((sent) => sent);
  };
  return {
    ...transport,
    self: transport.self,
    send,
    broadcast(lane, frame) {
      for (const peer of peersOf()) send(peer, lane, frame);
    },
  };
}

function createFaces(
  { genesisHash, committee }: Identity,
  validator: NonNullable<Identity['validator']>,
  honest: readonly PeerKey[],
) {
  const { sign } = createBlsSigner(validator.secretKey);
  const home = process.argv[process.argv.indexOf('--home') + 1] ?? '';
  /** By own block. */
  const made = new Map<string, Faces>();
  const done = new Set<string>();

  /** This turn's lonely validator and full nodes see one block, other validators the other. */
  function seesRival({ block, shown }: Faces, to: PeerKey): boolean {
    const turn = turnOf(block.view);
    const lonely = honest[turn % honest.length] === to || !honest.includes(to);
    return lonely === (shown === 'rival to one');
  }

  function turnOf(view: View): number {
    return Math.floor(view / committee.members.length);
  }

  /** One pair for all messages of a block. */
  function facesOf(kind: ProposalKind, block: Block): Faces {
    const id = hexOf(blockIdOf(block));
    const turn = turnOf(block.view);
    const faces = made.get(id) ?? {
      block,
      rival: { ...block, timestampMs: block.timestampMs + 1 },
      shown: mannerAsked(home) === 'to-all' ? 'both to all' : turn % 2 === 0 ? 'rival to one' : 'rival to others',
      votes: turn % 4 === 3 ? 'withheld' : 'for both',
    };
    made.set(id, faces);
    const [oldest] = made.keys();
    if (made.size > BLOCKS_MAX && oldest !== undefined) made.delete(oldest);
    note(kind, faces);
    return faces;
  }

  function note(kind: ProposalKind, { block, rival, shown, votes }: Faces): void {
    const key = `${block.view} ${kind}`;
    if (done.has(key)) return;
    done.add(key);
    const deed: Deed = {
      view: block.view,
      kind,
      shown,
      votes,
      blocks: [block, rival].map((each) => `0x${hexOf(blockIdOf(each))}`),
    };
    appendFileSync(join(home, DEEDS), `${JSON.stringify(deed)}\n`);
  }

  function proposal(given: Proposal, to: PeerKey): readonly Proposal[] {
    const faces = facesOf(given.kind, given.block);
    const block = faces.rival;
    const signature = sign(proposalMessage(genesisHash, block, given.kind, blockIdOf(block)));
    const other = { ...given, block, signature };
    if (faces.shown === 'both to all') return [given, other];
    return [seesRival(faces, to) ? other : given];
  }

  function vote(given: Vote, to: PeerKey): readonly Vote[] {
    const { subject } = given;
    if (subject.kind !== 'notarize' && subject.kind !== 'finalize') return [given];
    const faces = made.get(hexOf(subject.blockId));
    if (faces === undefined || faces.shown === 'both to all') return [given];
    if (faces.votes === 'withheld' && subject.kind === 'notarize') return [];
    if (!seesRival(faces, to)) return [given];
    const shown = { ...subject, blockId: blockIdOf(faces.rival) };
    return [{ ...given, subject: shown, signature: sign(subjectMessage(genesisHash, shown)) }];
  }

  function confirmation(given: Confirmation, to: PeerKey): Confirmation {
    const known = made.get(hexOf(given.blockId));
    if (known === undefined) return given;
    const faces = facesOf('normal', known.block);
    if (faces.shown === 'both to all' || !seesRival(faces, to)) return given;
    const blockId = blockIdOf(faces.rival);
    return { ...given, blockId, signature: sign(proposalMessage(genesisHash, given, 'normal', blockId)) };
  }

  return {
    /** What is sent in place of a frame, at once and later. */
    rewritten(bytes: Uint8Array, to: PeerKey): { readonly now: readonly Uint8Array[]; readonly late?: Uint8Array } {
      const decoded = decodeFrame(bytes);
      if (!decoded.ok) return { now: [bytes] };
      const { name, value } = decoded.value;
      if (name === 'proposal' && value.block.proposer === validator.index)
        return { now: proposal(value, to).map((each) => encodeFrame('proposal', each)) };
      if (name !== 'consensus') return { now: [bytes] };
      const isLate = ({ signer, subject }: Vote): boolean =>
        signer === validator.index && subject.kind === 'notarize' && made.has(hexOf(subject.blockId));
      const shown = (votes: readonly Vote[]): readonly Vote[] =>
        votes.flatMap((each) => (each.signer === validator.index ? vote(each, to) : [each]));
      const votes = shown(value.votes.filter((each) => !isLate(each)));
      const lateVotes = shown(value.votes.filter(isLate));
      const confirmations = value.confirmations.map((each) => confirmation(each, to));
      const now = [encodeFrame('consensus', { ...value, votes, confirmations })];
      if (lateVotes.length === 0) return { now };
      return { now, late: encodeFrame('consensus', { votes: lateVotes, certificates: [], confirmations: [] }) };
    },
  };
}

function mannerAsked(home: string): Manner {
  try {
    return readFileSync(join(home, MANNER), 'utf8') === 'to-all' ? 'to-all' : 'split';
  } catch {
    return 'split';
  }
}

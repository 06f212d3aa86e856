/** A member that takes another network key at a boundary: E9, and rule 10's blocks. */
import type { PeerKey } from '@slipstream/ports';
import { type Block, type Committee, createCommittee, type EpochRecord, epoch, recordHashOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createBannedPeers } from '../src/banned-peers.ts';
import { createEpochHost } from '../src/epoch-host.ts';
import { EMPTY_LOG } from '../src/index.ts';
import { passedOn } from '../src/renamed-members.ts';
import {
  type CoreWorld,
  certify,
  createCoreWorld,
  GENESIS_HASH,
  nullify,
  peerOf,
  recordOf,
  voteOf,
  WALL_MS,
} from './core-world.ts';

const BOUNDARY = 9;
const NODES = [0, 1, 2, 3];
const RENAMED = 1;
const NEW_KEY = peerOf(77);

/** All cores send under their first keys; the renamed one's new key is used by hand. */
function createWorld(): CoreWorld {
  return createCoreWorld({
    cores: NODES,
    holdExecution: (_, block: Block) => block.height >= BOUNDARY - 1,
    create: (setting, node) => {
      const selfIn = ({ members }: Committee) => (members.length > 0 ? node : undefined);
      const { committee, ended: _, ...rest } = setting;
      return createEpochHost({ ...rest, record: recordOf(committee), selfIn, restored: EMPTY_LOG }, 0, WALL_MS);
    },
  });
}

function renamingRecord(): EpochRecord {
  const members = NODES.map((node) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(node) }));
  const record = recordOf(createCommittee(members, epoch(1)));
  return {
    ...record,
    members: record.members.map((member, index) =>
      index === RENAMED ? { ...member, peerKey: NEW_KEY, previousPeerKey: peerOf(RENAMED) } : member,
    ),
  };
}

function seal(world: CoreWorld, record: EpochRecord): void {
  const recordHash = recordHashOf(GENESIS_HASH, record);
  for (const node of NODES) world.step(node, { type: 'sealed', recordHash, height: 1, record });
}

const boundaryOf = (world: CoreWorld) =>
  world.effects(0, 'finalized').find(({ block }) => block.next !== undefined)?.block;

function runPastBoundary(world: CoreWorld): Block {
  seal(world, renamingRecord());
  for (let round = 0; round < 600 && world.effects(0, 'epoch-begun').length === 0; round++) {
    world.deliver(NODES);
    world.pass(5);
  }
  const boundary = boundaryOf(world);
  if (boundary === undefined) throw new Error('the boundary is final');
  return boundary;
}

const frame = (votes: readonly ReturnType<typeof voteOf>[]) => ({ votes, certificates: [], confirmations: [] });
const blockedAt = (world: CoreWorld, node: number) => world.effects(node, 'block-peer').map(({ peer }) => peer);

describe('a member with another network key in the next record', () => {
  it.each([
    ['its new key', NEW_KEY],
    ['its key before', peerOf(RENAMED)],
  ])('is not blamed for a vote of the closed epoch under %s', (_, from: PeerKey) => {
    const world = createWorld();
    const boundary = runPastBoundary(world);
    world.step(0, { type: 'consensus-frame', from, frame: frame([voteOf(certify(boundary), RENAMED)]) });
    expect(blockedAt(world, 0)).toEqual([]);
  });

  it('is not blamed for a vote under its new key by a node that has not moved yet', () => {
    const world = createWorld();
    seal(world, renamingRecord());
    world.step(0, { type: 'consensus-frame', from: NEW_KEY, frame: frame([voteOf(nullify(1), RENAMED)]) });
    expect(blockedAt(world, 0)).toEqual([]);
  });

  it('does not vote for another member under either key', () => {
    const world = createWorld();
    const boundary = runPastBoundary(world);
    const vote = voteOf(certify(boundary), 2);
    world.step(0, { type: 'consensus-frame', from: NEW_KEY, frame: frame([vote]) });
    expect(blockedAt(world, 0)).toEqual([NEW_KEY]);
  });

  it('stays blocked under its new key, and its reported height stays known', () => {
    const world = createWorld();
    world.step(0, { type: 'offence', peer: peerOf(RENAMED), reason: 'invalid-chunk', detail: '' });
    const core = world.core(0);
    expect(core.status().blocked).toEqual([RENAMED]);
    const remembered = { ...core.state().remembered, finalHeightOf: [5, 6, 7, 8] };
    const before = { ...core, status: core.status, state: () => ({ ...core.state(), remembered }) };
    const members = NODES.map((node) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(node) }));
    const passed = passedOn({ core: before, setting: { committee: createCommittee(members) } }, renamingRecord());
    expect(passed).toEqual({ finalHeightOf: [5, 6, 7, 8], blocked: [RENAMED] });
  });
});

describe('the ban of a member', () => {
  it('goes over to its new network key', () => {
    const calls: string[] = [];
    const banned = createBannedPeers({
      block: (peer) => void calls.push(`block ${peer}`),
      unblock: (peer) => void calls.push(`unblock ${peer}`),
    });
    banned.block({ peer: peerOf(RENAMED), reason: 'wrong-signer', detail: '' });
    const members = renamingRecord().members.map((member, index) => ({ ...member, index }));
    banned.moved({ members }, [RENAMED]);
    expect(banned.has(NEW_KEY)).toBe(true);
    expect(calls).toEqual([`block ${peerOf(RENAMED)}`, `block ${NEW_KEY}`]);
  });
});

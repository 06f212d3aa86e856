/** Two epochs, each with its own committee: a move, a member that joins, one that leaves, one that is behind, and certification after the move. */
import { bytesEqual } from '@slipstream/primitives';
import { type Block, blockIdOf, type Committee, createCommittee, epoch, recordHashOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createEpochHost } from '../src/epoch-host.ts';
import { EMPTY_LOG } from '../src/index.ts';
import {
  type CoreWorld,
  type CoreWorldOptions,
  createCoreWorld,
  digestOf,
  GENESIS_HASH,
  peerOf,
  recordOf,
  type Sent,
  WALL_MS,
} from './core-world.ts';

/** The seal of height 1 allows it from here on. */
const BOUNDARY = 9;
/** Members 0 to 3 are the committee of genesis; 4 follows. */
const NODES = [0, 1, 2, 3, 4];

const committeeOfPeers = (peers: readonly number[]): Committee =>
  createCommittee(
    peers.map((peer) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(peer) })),
    epoch(1),
  );

function createWorld(options: CoreWorldOptions = {}): CoreWorld {
  return createCoreWorld({
    cores: NODES,
    setting: (node) => (node === 4 ? { self: undefined } : {}),
    create: (setting, node) => {
      const selfIn = ({ members }: Committee) => members.find(({ peerKey }) => peerKey === peerOf(node))?.index;
      const { committee, ended: _, ...rest } = setting;
      return createEpochHost({ ...rest, record: recordOf(committee), selfIn, restored: EMPTY_LOG }, 0, WALL_MS);
    },
    ...options,
  });
}

function seal(world: CoreWorld, peers: readonly number[], nodes: readonly number[] = NODES): void {
  const record = recordOf(committeeOfPeers(peers));
  const recordHash = recordHashOf(GENESIS_HASH, record);
  for (const node of nodes) world.step(node, { type: 'sealed', recordHash, height: 1, record });
}

function runUntil(world: CoreWorld, isDone: () => boolean, nodes = NODES, select?: (sent: Sent) => boolean): void {
  for (let round = 0; round < 600 && !isDone(); round++) {
    world.deliver(nodes, select);
    world.pass(5);
  }
}

const delivered = (world: CoreWorld, node: number): readonly Block[] =>
  world.effects(node, 'finalized').map(({ block }) => block);
const highest = (world: CoreWorld, node: number): number => delivered(world, node).at(-1)?.height ?? 0;
const reach =
  (world: CoreWorld, height: number, nodes = NODES) =>
  () =>
    nodes.every((node) => highest(world, node) >= height);
const epochsSigned = (world: CoreWorld, node: number): ReadonlySet<number> =>
  new Set(world.votes(node).map((vote) => vote.epoch));

describe('a chain whose committee changes', () => {
  it('goes on above the boundary with the same chain on every node', () => {
    const world = createWorld();
    seal(world, [0, 1, 2, 3]);
    runUntil(world, reach(world, BOUNDARY + 10));
    const chains = NODES.map((node) => delivered(world, node).slice(0, BOUNDARY + 10));
    for (const chain of chains) expect(chain.map(blockIdOf)).toEqual(chains[0]?.map(blockIdOf));
    expect(chains[0]?.map((block) => block.height)).toEqual(Array.from({ length: BOUNDARY + 10 }, (_, at) => at + 1));
    expect(chains[0]?.map((block) => block.epoch)).toEqual([...Array(BOUNDARY).fill(0), ...Array(10).fill(1)]);
  });

  it('ignores a seal that is reported twice, or after its epoch has begun', () => {
    const world = createWorld();
    seal(world, [0, 1, 2, 3]);
    seal(world, [0, 1, 2, 4]);
    runUntil(world, reach(world, BOUNDARY + 3));
    seal(world, [0, 1, 2, 4]);
    runUntil(world, reach(world, BOUNDARY + 10));
    expect(delivered(world, 0).at(-1)?.next).toBeUndefined();
    expect([...epochsSigned(world, 4)]).toEqual([]);
    expect([...epochsSigned(world, 3)]).toEqual([0, 1]);
  });

  it('takes over a member that only followed, and the one that left follows by itself', () => {
    const world = createWorld();
    seal(world, [0, 1, 2, 4]);
    runUntil(world, reach(world, BOUNDARY + 12));
    expect(reach(world, BOUNDARY + 12)()).toBe(true);
    expect([...epochsSigned(world, 4)]).toEqual([1]);
    expect([...epochsSigned(world, 3)]).toEqual([0]);
    const proposers = delivered(world, 0)
      .slice(BOUNDARY)
      .map(({ proposer }) => proposer);
    expect(new Set(proposers)).toEqual(new Set([0, 1, 2, 3]));
  });

  it('certifies the boundary in its own epoch after the move, then drops that core', () => {
    const held = new Set<string>();
    const isHeld = (_: number, block: Block) => block.height >= BOUNDARY - 1;
    const world = createWorld({ holdExecution: isHeld });
    seal(world, [0, 1, 2, 3]);
    runUntil(world, reach(world, BOUNDARY + 2));
    expect(world.effects(0, 'certified').some(({ certificate }) => certificate.subject.height >= BOUNDARY)).toBe(false);
    for (const node of NODES) {
      for (const { block } of world.effects(node, 'execute').filter(({ block }) => isHeld(node, block))) {
        held.add(String(block.height));
        world.step(node, { type: 'executed', blockId: blockIdOf(block), digest: digestOf(block) });
      }
    }
    runUntil(world, () =>
      world.effects(0, 'certified').some(({ certificate }) => certificate.subject.height === BOUNDARY),
    );
    expect(held.size).toBeGreaterThan(0);
    const of = world.effects(0, 'certified').find(({ certificate }) => certificate.subject.height === BOUNDARY);
    expect(of?.certificate.subject.epoch).toBe(0);
    const signed = world.votes(0).filter((vote) => vote.kind === 'certify' && vote.height === BOUNDARY);
    expect(signed.map((vote) => vote.epoch)).toEqual([0]);
  });

  it('takes along a member that missed the end of its epoch', () => {
    const world = createWorld();
    seal(world, [0, 1, 2, 3]);
    const late = 3;
    const prompt = NODES.filter((node) => node !== late);
    runUntil(world, reach(world, BOUNDARY + 6, prompt), prompt);
    expect(highest(world, late)).toBe(0);
    // It gets only what is resent from now on, and what it asks for.
    const before = new Set(world.sent);
    const isNew = (sent: Sent) => !before.has(sent) || sent.resent;
    serveBlocks(world, late, 0);
    runUntil(world, () => serveBlocks(world, late, 0) && highest(world, late) >= BOUNDARY + 6, NODES, isNew);
    expect(highest(world, late)).toBeGreaterThanOrEqual(BOUNDARY + 6);
  });

  it('keeps the first frames of the next epoch for a member that has not moved yet', () => {
    const world = createWorld();
    seal(world, [0, 1, 2, 3]);
    const late = 3;
    const isEnd = ({ frame }: Sent) =>
      frame?.votes.some(({ subject }) => subject.kind !== 'notarize' && subject.epoch === 0) === true ||
      frame?.certificates.some(({ subject }) => subject.kind !== 'notarize' && subject.epoch === 0) === true;
    const prompt = NODES.filter((node) => node !== late);
    for (let round = 0; round < 600 && !reach(world, BOUNDARY + 1, prompt)(); round++) {
      world.deliver(prompt);
      world.deliver([late], (sent) => !isEnd(sent) && sent.proposal?.block.epoch !== 1);
      world.deliver([late], (sent) => sent.proposal?.block.epoch === 1);
      world.pass(5);
    }
    runUntil(world, reach(world, BOUNDARY + 3));
    const views = world.votes(late).filter((vote) => vote.epoch === 1 && vote.kind === 'notarize');
    expect(views.length).toBeGreaterThan(0);
  });
});

/** Answers what a node asked for since the last call. */
const answered = new WeakMap<CoreWorld, number>();
function serveBlocks(world: CoreWorld, node: number, server: number): boolean {
  const asked = world.effects(node, 'fetch');
  const from = answered.get(world) ?? 0;
  answered.set(world, asked.length);
  for (const { query } of asked.slice(from)) {
    const { blockId } = query.type === 'block' ? query : { blockId: undefined };
    const isAsked = (block: Block) => blockId !== undefined && bytesEqual(blockIdOf(block), blockId);
    const blocks = delivered(world, server).filter(isAsked);
    const certificates =
      query.type === 'certificates' ? world.core(server).certificatesInRange(query.from, query.to, 64) : [];
    world.step(node, { type: 'fetched', query, from: peerOf(server), blocks, certificates });
  }
  return true;
}

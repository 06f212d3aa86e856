/** Rule 10: seal, boundary, fillers, move. */
import { bytesEqual, sha256, utf8 } from '@slipstream/primitives';
import {
  asId,
  type Block,
  blockIdOf,
  type ChunkId,
  payloadRootOf,
  type RecordHash,
  subjectMessage,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../src/index.ts';
import type { CoreWorld, Sent } from './core-world.ts';
import {
  blockOn,
  certificateOf,
  certify,
  committeeOf,
  createCoreWorld,
  finalize,
  GENESIS,
  GENESIS_HASH,
  notarize,
  nullify,
  peerOf,
  proposalOf,
  recordOf,
  voteOf,
} from './core-world.ts';

const RECORD = asId<RecordHash>(sha256(utf8('the next record')));
const OTHER = asId<RecordHash>(sha256(utf8('another record')));
const ALL = [0, 1, 2, 3];
const PAYLOAD = [{ chunkId: asId<ChunkId>(new Uint8Array(32).fill(7)), certificate: undefined }];
/** A seal of height 1 allows a boundary from here on. */
const LOWEST = 9;

function seal(world: CoreWorld, height = 1, members = ALL): void {
  const record = recordOf(committeeOf([1, 1, 1, 1]));
  for (const member of members) world.step(member, { type: 'sealed', recordHash: RECORD, height, record });
}

function settle(world: CoreWorld, members = ALL): void {
  for (let round = 0; round < 400 && world.effects(members[0] as number, 'moved').length === 0; round++) {
    world.settle(members);
    world.pass(5);
  }
}

const delivered = (world: CoreWorld, member: number): readonly Block[] =>
  world.effects(member, 'finalized').map(({ block }) => block);

const OTHERS = [1, 2, 3];

/** The first view above this block that member 0 does not lead; those it leads are nullified. */
function nextView(world: CoreWorld, parent: Block): number {
  let at = parent.view + 1;
  for (; world.leaderOf(at) === 0; at++) world.give(0, 1, { certificates: [certificateOf(nullify(at), OTHERS)] });
  return at;
}

/** A child by the leader of that view, proposed to member 0. */
function propose(world: CoreWorld, parent: Block, change: Partial<Block> = {}): Block {
  const at = nextView(world, parent);
  const block = { ...blockOn(parent, at, world.leaderOf(at)), ...change };
  world.givePropose(0, block.proposer, proposalOf('normal', block));
  return block;
}

function notarized(world: CoreWorld, block: Block): Block {
  world.give(0, 1, { certificates: [certificateOf(notarize(block), OTHERS)] });
  return block;
}

/** Plain blocks up to a height, notarized at member 0. */
function chainUpTo(world: CoreWorld, height: number): Block {
  let parent = GENESIS;
  while (parent.height < height) parent = notarized(world, propose(world, parent));
  return parent;
}

const votesFor = (world: CoreWorld, block: Block) =>
  world.votes(0).filter((vote) => vote.kind === 'notarize' && vote.view === block.view);

describe('a sealed epoch', () => {
  it('closes at the first block of the height that the seal allows, on every member alike', () => {
    const world = createCoreWorld();
    seal(world);
    settle(world);
    world.settle();
    const moves = ALL.map((member) => world.effects(member, 'moved'));
    expect(moves.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect(moves.map(([moved]) => moved?.block.height)).toEqual([LOWEST, LOWEST, LOWEST, LOWEST]);
    expect(moves.map(([moved]) => moved?.block.next)).toEqual([RECORD, RECORD, RECORD, RECORD]);
    for (const member of ALL) expect(delivered(world, member).at(-1)?.height).toBe(LOWEST);
  });

  it('closes though no transaction is pending', () => {
    const world = createCoreWorld({ options: { idleBlockIntervalMs: 60_000 } });
    for (const member of ALL) world.step(member, { type: 'pending-changed', pending: false });
    seal(world);
    settle(world);
    expect(world.effects(0, 'moved')).toHaveLength(1);
  });

  it('signs nothing after the move but Certify up to the boundary', () => {
    const world = createCoreWorld({ holdExecution: (_, block) => block.height >= LOWEST - 1 });
    seal(world);
    settle(world);
    world.settle();
    for (const member of ALL) {
      const before = world.votes(member).length;
      const { block } = world.effects(member, 'moved')[0] as { block: Block };
      const digest = asId<never>(sha256(blockIdOf(block)));
      world.step(member, { type: 'executed', blockId: blockIdOf(block), digest });
      world.pass(5_000);
      expect(world.votes(member).slice(before)).toEqual([expect.objectContaining({ kind: 'certify', height: LOWEST })]);
    }
  });
});

describe('a block that closes an epoch', () => {
  function offer(next: RecordHash, parentHeight = LOWEST - 1) {
    const world = createCoreWorld({ cores: [0] });
    seal(world, 1, [0]);
    return { world, block: propose(world, chainUpTo(world, parentHeight), { next }) };
  }

  it('gets a vote from height S + 8 on', () => {
    const { world, block } = offer(RECORD);
    expect(votesFor(world, block)).toHaveLength(1);
  });

  it('is an offence below that height', () => {
    const { world, block } = offer(RECORD, LOWEST - 2);
    expect(votesFor(world, block)).toEqual([]);
    expect(world.core(0).status().blocked).toEqual([block.proposer]);
  });

  it('is an offence with another record', () => {
    const { world, block } = offer(OTHER);
    expect(votesFor(world, block)).toEqual([]);
    expect(world.core(0).status().blocked).toEqual([block.proposer]);
  });

  it('waits, without blame, where the seal is not known', () => {
    const world = createCoreWorld({ cores: [0] });
    const block = propose(world, chainUpTo(world, LOWEST - 1), { next: RECORD });
    expect(votesFor(world, block)).toEqual([]);
    expect(world.core(0).status().blocked).toEqual([]);
    seal(world, 1, [0]);
    expect(votesFor(world, block)).toHaveLength(1);
  });

  it('gets no early vote', () => {
    const votesWith = (next: RecordHash | undefined): number => {
      const world = createCoreWorld({ cores: [0], options: { earlyVoteViews: 1 } });
      seal(world, 1, [0]);
      let parent = chainUpTo(world, LOWEST - 2);
      const isLed = ({ view }: Block) => world.leaderOf(view + 1) === 0 || world.leaderOf(view + 2) === 0;
      while (isLed(parent)) parent = notarized(world, propose(world, parent));
      const first = { ...blockOn(parent, parent.view + 1, world.leaderOf(parent.view + 1)) };
      const second = { ...blockOn(first, first.view + 1, world.leaderOf(first.view + 1)), next };
      world.givePropose(0, first.proposer, proposalOf('optimistic', first));
      world.givePropose(0, second.proposer, proposalOf('optimistic', second));
      return votesFor(world, second).length;
    };
    expect([votesWith(undefined), votesWith(RECORD)]).toEqual([1, 0]);
  });
});

describe('above a block that closes the epoch', () => {
  function above(change: Partial<Block>) {
    const world = createCoreWorld({ cores: [0] });
    seal(world, 1, [0]);
    const boundary = notarized(world, propose(world, chainUpTo(world, LOWEST - 1), { next: RECORD }));
    return { world, boundary, block: propose(world, boundary, change) };
  }

  it('a filler gets votes and makes the boundary final, and is neither executed nor delivered', () => {
    const { world, boundary, block } = above({ next: RECORD });
    expect(votesFor(world, block)).toHaveLength(1);
    notarized(world, block);
    world.give(0, 1, { certificates: [certificateOf(finalize(block), OTHERS)] });
    const [moved] = world.effects(0, 'moved');
    expect(moved?.block).toEqual(boundary);
    expect(moved?.fillers).toEqual([block]);
    expect(delivered(world, 0).at(-1)).toEqual(boundary);
    const executed = world.effects(0, 'execute').map((effect) => effect.block.height);
    expect(Math.max(...executed)).toBe(boundary.height);
  });

  it.each<[string, Partial<Block>]>([
    ['a block without the record', { next: undefined }],
    ['another record', { next: OTHER }],
    ['a payload', { next: RECORD, payload: PAYLOAD, payloadRoot: payloadRootOf(PAYLOAD) }],
  ])('%s is an offence', (_, change) => {
    const { world, block } = above(change);
    expect(votesFor(world, block)).toEqual([]);
    expect(world.core(0).status().blocked).toEqual([block.proposer]);
  });

  it('a leader proposes a filler after graceMs, and no optimistic child', () => {
    const world = createCoreWorld({ options: { graceMs: 40 } });
    seal(world);
    // No Finalize of the boundary's view arrives: a filler has to make it final.
    const isLate = (sent: Sent) =>
      sent.frame?.votes.some(({ subject }) => subject.kind !== 'notarize' && isBoundary(world, subject.view)) ?? false;
    for (let round = 0; round < 400 && world.effects(0, 'moved').length === 0; round++) {
      world.settle(ALL, (sent) => !isLate(sent));
      world.pass(5);
    }
    const [moved] = world.effects(0, 'moved');
    expect(moved?.fillers).toHaveLength(1);
    expect(moved?.fillers[0]?.payload).toEqual([]);
    const proposals = ALL.flatMap((member) => world.effects(member, 'propose'));
    const children = proposals.filter(({ block }) => block.height > LOWEST);
    expect(children.map(({ kind }) => kind)).toEqual(children.map(() => 'normal'));
  });
});

const isBoundary = (world: CoreWorld, view: number): boolean =>
  ALL.flatMap((member) => world.effects(member, 'propose')).some(
    ({ block }) => block.view === view && block.height === LOWEST,
  );

describe('a core that has closed', () => {
  function closed() {
    const world = createCoreWorld({ cores: [0] });
    seal(world, 1, [0]);
    const boundary = notarized(world, propose(world, chainUpTo(world, LOWEST - 1), { next: RECORD }));
    const first = notarized(world, propose(world, boundary, { next: RECORD }));
    const second = propose(world, first, { next: RECORD });
    world.give(0, 1, { certificates: [certificateOf(finalize(first), OTHERS)] });
    expect(world.effects(0, 'moved')).toHaveLength(1);
    return { world, boundary, first, second };
  }

  it('delivers no filler of a range that was asked for before', () => {
    const { world, boundary, first, second } = closed();
    const query = { type: 'finalized', from: boundary.height, to: second.height } as const;
    const certificates = [certificateOf(finalize(second), OTHERS)];
    world.step(0, { type: 'fetched', query, from: peerOf(1), blocks: [boundary, first, second], certificates });
    expect(delivered(world, 0).at(-1)).toEqual(boundary);
    expect(world.effects(0, 'moved')).toHaveLength(1);
    expect(world.core(0).status().blocked).toEqual([]);
  });

  it('takes no certificate of a later view whose check was under way', () => {
    const late: Extract<Effect, { type: 'verify' }>[] = [];
    const world = createCoreWorld({ cores: [0], holdCheck: (check) => isOfFiller(check) && late.push(check) > 0 });
    let held: Uint8Array | undefined;
    const isOfFiller = ({ request }: Extract<Effect, { type: 'verify' }>) =>
      held !== undefined && request.type === 'certificate' && bytesEqual(request.request.message, held);
    seal(world, 1, [0]);
    const boundary = notarized(world, propose(world, chainUpTo(world, LOWEST - 1), { next: RECORD }));
    const first = propose(world, boundary, { next: RECORD });
    const far = { ...blockOn(first, first.view + 5, world.leaderOf(first.view + 5)), next: RECORD };
    held = subjectMessage(GENESIS_HASH, finalize(far));
    world.give(0, 1, { certificates: [certificateOf(finalize(far), OTHERS)] });
    world.give(0, 1, { certificates: [certificateOf(finalize(boundary), OTHERS)] });
    expect(late).toHaveLength(1);
    expect(world.effects(0, 'moved')).toHaveLength(1);
    const { token } = late[0] as { token: number };
    world.step(0, { type: 'verified', token, verdict: { type: 'certificate', valid: true } });
    world.give(0, 1, { votes: [voteOf(certify(boundary), 1)] });
    expect(world.effects(0, 'persist-certificate').map(({ certificate }) => certificate.subject.view)).not.toContain(
      far.view,
    );
  });
});

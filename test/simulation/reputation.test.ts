/** What the recount of leader reputation notices, on chains that are written down here. */
import { sha256, utf8 } from '@slipstream/primitives';
import { type Committee, createLeaderSchedule, epoch as epochOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createChain } from './harness/committee.ts';
import { BENCH_BLOCKS, checkReputation } from './harness/whole/reputation.ts';

const MEMBERS = [0, 1, 2, 3];
const BOUNDARY_BLOCKS = 8;
const FIRST_SEAL = 64;
const VICTIM = 2;

const chain = createChain(
  'reputation',
  MEMBERS.map(() => 1),
  MEMBERS.map((member) => sha256(utf8(`key ${member}`))),
);

interface Written {
  /** Of each seal: its height, and the benched members. */
  readonly seals: readonly { readonly height: number; readonly benched: readonly number[] }[];
  readonly isDown: (height: number) => boolean;
  readonly upTo: number;
}

function committeeWith(number: number, benched: readonly number[]): Committee {
  const members = chain.committee.members.map((member) => ({ ...member, leads: !benched.includes(member.index) }));
  return { ...chain.committee, epoch: epochOf(number), members };
}

/** The victim's turns are lost while it is down. */
function written({ seals, isDown, upTo }: Written) {
  const committees = [chain.committee, ...seals.map(({ benched }, at) => committeeWith(at + 1, benched))];
  const blocks = new Map<number, { epoch: number; view: number; parentView: number; proposer: number }>();
  let parentView = 0;
  for (let height = 1; height <= upTo; height++) {
    const epoch = seals.filter((seal) => seal.height + BOUNDARY_BLOCKS < height).length;
    const leaderOf = createLeaderSchedule(committees[epoch] as Committee, chain.genesisHash);
    let view = parentView + 1;
    while (leaderOf(view as never) === VICTIM && isDown(height)) view++;
    blocks.set(height, { epoch, view, parentView, proposer: leaderOf(view as never) });
    parentView = view;
  }
  const record = {
    blocks,
    seals: new Map(seals.map(({ height }, at) => [at + 1, { height, committee: committees[at + 1] }])),
    boundaries: new Map(seals.map(({ height }, at) => [at, height + BOUNDARY_BLOCKS])),
  };
  return checkReputation({ chain, members: MEMBERS } as never, record as never);
}

const BENCHED = { height: FIRST_SEAL, benched: [VICTIM] };
const RETURN = FIRST_SEAL + BENCH_BLOCKS;
const isDownFirst = (height: number) => height <= FIRST_SEAL + BOUNDARY_BLOCKS;

describe('the recount of leader reputation', () => {
  it('counts benches, returns, and the longer bench on probation', () => {
    const again = RETURN + FIRST_SEAL + BOUNDARY_BLOCKS;
    const seals = [BENCHED, { height: RETURN, benched: [] }, { height: again, benched: [VICTIM] }];
    const isDown = (height: number) => isDownFirst(height) || height > again - 8;
    const counts = written({ seals, isDown, upTo: again + 2 * BOUNDARY_BLOCKS });
    expect(counts).toMatchObject({ benches: 2, returns: 1, benchBlocksMax: 2 * BENCH_BLOCKS, epochs: 4 });
  });

  it('refuses a return before its time', () => {
    const seals = [BENCHED, { height: RETURN - 1, benched: [] }];
    expect(() => written({ seals, isDown: isDownFirst, upTo: RETURN })).toThrow(/benched members wait/);
  });

  it('refuses a bench of a member that has lost fewer turns', () => {
    expect(() => written({ seals: [BENCHED], isDown: () => false, upTo: FIRST_SEAL })).toThrow(/have lost their turns/);
  });

  it('refuses a chain that passes over a member that is due, on probation after one lost turn', () => {
    expect(() => written({ seals: [], isDown: () => true, upTo: FIRST_SEAL })).toThrow(/benched by the next seal/);
    const seals = [BENCHED, { height: RETURN, benched: [] }];
    const upTo = RETURN + BOUNDARY_BLOCKS + FIRST_SEAL + MEMBERS.length;
    const isDown = (height: number) => isDownFirst(height) || height > upTo - MEMBERS.length;
    expect(() => written({ seals, isDown, upTo })).toThrow(/benched by the next seal/);
  });
});

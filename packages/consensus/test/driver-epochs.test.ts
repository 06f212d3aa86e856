/** What the driver does at a move: bans of peers, and the permission to sign. */
import type { PeerKey, Random } from '@slipstream/ports';
import {
  blockIdOf,
  type Committee,
  createCommittee,
  decodeFrame,
  type Epoch,
  epoch,
  GENESIS_EPOCH,
  recordHashOf,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  type ConsensusComponents,
  createConsensus,
  EMPTY_LOG,
  NOTHING_RESTORED,
  type RestoredLog,
} from '../src/index.ts';
import { createSigningPermission } from '../src/signing-permission.ts';
import {
  blockOn,
  certificateOf,
  committeeOf,
  finalize,
  GENESIS,
  GENESIS_HASH,
  peerOf,
  recordOf,
} from './core-world.ts';
import { FOLLOWER, settingOf } from './driver-world.ts';

const NEW_MEMBER = 7;
/** Member 1 has two of six, which is too much to be blocked. */
const WEIGHTS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 2],
  [2, 1],
  [3, 1],
  [NEW_MEMBER, 1],
]);
const NEXT_COMMITTEE = createCommittee(
  [...WEIGHTS].map(([peer, weight]) => ({ weight, blsPublicKey: new Uint8Array(48), peerKey: peerOf(peer) })),
  epoch(1),
);
const NEXT = recordOf(NEXT_COMMITTEE);

/** Of a node that has moved to the second epoch; the first block is the boundary. */
function movedLog(): RestoredLog {
  const recordHash = recordHashOf(GENESIS_HASH, NEXT);
  const block = { ...blockOn(GENESIS, 1, 0), next: recordHash };
  const blockId = blockIdOf(block);
  const certificate = certificateOf(finalize(block), [0, 1, 2]);
  const first = { ...NOTHING_RESTORED, blocks: [{ blockId, block }], certificates: [certificate] };
  const end = { blockId, block, fillers: [], certificate };
  return {
    epochs: new Map([[GENESIS_EPOCH, first]]),
    begun: new Map([[epoch(1), { seal: { recordHash, height: 1, record: NEXT }, end }]]),
  };
}

function fullNode(restored = movedLog()) {
  let nowMs = 0;
  let steps = 0;
  const banned = new Set<PeerKey>();
  const transport = {
    ...FOLLOWER.transport,
    block: (peer: PeerKey) => void banned.add(peer),
    unblock: (peer: PeerKey) => void banned.delete(peer),
  };
  const recorder: ConsensusComponents['recorder'] = {
    record: (core) => ({
      ...core,
      step(...args) {
        steps += 1;
        return core.step(...args);
      },
    }),
  };
  const clock = { ...FOLLOWER.clock, monotonicMs: () => nowMs };
  const consensus = createConsensus({ ...FOLLOWER, transport, clock, recorder }, settingOf(restored));
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { consensus, banned, pass, steps: () => steps };
}

describe('a move', () => {
  it('lifts the ban of a member that the new committee cannot spare, or that was none when it offended (E10)', () => {
    for (const member of [1, NEW_MEMBER]) {
      const { consensus, banned } = fullNode();
      consensus.offence(peerOf(member), 'malformed-frame', '');
      expect(consensus.epoch()).toBe(1);
      expect(consensus.status().blocked).toEqual([]);
      expect([...banned]).toEqual([]);
      expect(consensus.acceptsFrom(peerOf(member))).toBe(true);
    }
  });

  it('keeps the ban of other members, and of strangers', () => {
    for (const peer of [2, 9]) {
      const { consensus, banned } = fullNode();
      consensus.offence(peerOf(peer), 'malformed-frame', '');
      expect(consensus.epoch()).toBe(1);
      expect([...banned]).toEqual([peerOf(peer)]);
    }
  });
});

describe('heartbeats of peers that are no members', () => {
  it('cost a step of the core each half second at most, and none in the own epoch', () => {
    const { consensus, pass, steps } = fullNode(EMPTY_LOG);
    const beat = (peer: number, of: number, times = 100) => {
      const value = { epoch: epoch(of), view: 9, finalizedHeight: 0, committedHeight: 0, refusedView: 0 };
      for (let i = 0; i < times; i++) consensus.onFrame(peerOf(peer), { name: 'heartbeat', value });
    };
    beat(8, 0);
    expect(steps()).toBe(0);
    beat(8, 3);
    beat(9, 3);
    expect(steps()).toBe(2);
    pass(500);
    beat(8, 3);
    expect(steps()).toBe(3);
    beat(1, 3, 5);
    expect(steps()).toBe(8);
  });
});

/** Of member 0; all others answer with nothing when asked. */
function permission(restored: RestoredLog) {
  const asked: Epoch[] = [];
  let answer = (_: Committee) => {};
  let granted = 0;
  const made = createSigningPermission(
    {
      transport: {
        send: () => true,
        broadcast(_lane, frame) {
          const decoded = decodeFrame(frame);
          if (!decoded.ok || decoded.value.name !== 'historyQuery') return;
          const { epoch: of, nonce } = decoded.value.value;
          asked.push(of);
          answer = ({ members }) => {
            for (const { peerKey } of members)
              made.onAnswer(peerKey, { epoch: of, nonce, votes: [], certificates: [], proposals: [] });
          };
        },
      },
      clock: FOLLOWER.clock,
      random: { below: () => 42 } as unknown as Random,
      verifier: FOLLOWER.verifier,
      telemetry: { log() {} },
    },
    settingOf(restored),
    () => {
      granted += 1;
    },
  );
  return {
    asked,
    granted: () => granted,
    follow: (committee: Committee) => made.seek(committee, undefined, false),
    async seek(committee: Committee, mayHaveBegun = false) {
      const sought = made.seek(committee, 0, mayHaveBegun);
      answer(committee);
      await sought;
    },
  };
}

describe('the permission to sign', () => {
  it('holds in the epochs that begin while the node runs', async () => {
    const { seek, asked, granted } = permission(EMPTY_LOG);
    await seek(committeeOf([1, 1, 1, 1]));
    await seek(NEXT_COMMITTEE);
    expect(asked).toEqual([0]);
    expect(granted()).toBe(1);
  });

  it('is sought by a node that followed when it becomes a member', async () => {
    const { follow, seek, asked, granted } = permission(EMPTY_LOG);
    await follow(committeeOf([1, 1, 1, 1]));
    expect([asked, granted()]).toEqual([[], 0]);
    await seek(NEXT_COMMITTEE);
    expect([asked, granted()]).toEqual([[1], 1]);
  });

  it('of a leaver that starts with an old log is sought once it is a member again, and not from the epoch that it left', async () => {
    const { follow, seek, asked, granted } = permission(movedLog());
    await follow(NEXT_COMMITTEE);
    expect([asked, granted()]).toEqual([[], 0]);
    await seek({ ...NEXT_COMMITTEE, epoch: (NEXT_COMMITTEE.epoch + 3) as Epoch });
    expect([asked, granted()]).toEqual([[NEXT_COMMITTEE.epoch + 3], 1]);
  });

  it('is sought again from the members of an epoch that an earlier life may have begun (H4)', async () => {
    const { seek, asked, granted } = permission(movedLog());
    await seek(committeeOf([1, 1, 1, 1]), true);
    await seek(NEXT_COMMITTEE, true);
    expect(asked).toEqual([0, 1]);
    expect(granted()).toBe(2);
  });
});

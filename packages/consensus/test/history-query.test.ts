/** The signing-history query: who may answer it, and that no answer which has come is overlooked. */
import type { Clock, PeerKey, Random, Verifier } from '@slipstream/ports';
import { CodedError, declareDurable } from '@slipstream/primitives';
import {
  BLS_SIGNATURE_BYTES,
  type Certificate,
  createCommittee,
  decodeFrame,
  GENESIS_EPOCH,
  type Vote,
  view,
} from '@slipstream/types';
import { expect, it } from 'vitest';
import { createSigningHistoryQuery } from '../src/history-query.ts';
import { NOTHING_RESTORED, type Restored } from '../src/index.ts';
import { certificateOf, GENESIS_HASH, GENESIS_ID, peerOf } from './core-world.ts';

const committee = createCommittee(
  [0, 1, 2, 3].map((index) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(index) })),
);
const OWN_VOTE = declareDurable({
  subject: { kind: 'nullify', epoch: GENESIS_EPOCH, view: view(7) },
  signer: 0,
  signature: new Uint8Array(BLS_SIGNATURE_BYTES),
} as const);

/** Member 0 asks; its log begins at view 5. */
function asked(restored: Restored = NOTHING_RESTORED, nullifyUpToView = 0) {
  let nonce = -1;
  const sentTo: PeerKey[] = [];
  const timers = new Map<number, () => void>();
  const warnings: string[] = [];
  let made = 0;
  const checks: ((isGood: boolean) => void)[] = [];
  let isFull = false;
  const check = () => {
    if (isFull) return Promise.reject(new CodedError('queue-full', 'the lane is full'));
    return new Promise<boolean>((resolve) => checks.push(resolve));
  };
  const question = createSigningHistoryQuery(
    {
      transport: {
        send(peer) {
          sentTo.push(peer);
          return true;
        },
        broadcast(_lane, frame) {
          const decoded = decodeFrame(frame);
          if (decoded.ok && decoded.value.name === 'historyQuery') nonce = decoded.value.value.nonce;
        },
      },
      clock: {
        after(_ms: number, action: () => void) {
          const id = made++;
          timers.set(id, action);
          return () => timers.delete(id);
        },
      } as unknown as Clock,
      random: { below: () => 42 } as unknown as Random,
      verifier: { checkVote: check, checkCertificate: check } as unknown as Verifier,
      telemetry: { log: (_level, message) => warnings.push(message) },
    },
    { genesisHash: GENESIS_HASH, self: 0, committee, queryMs: 1_000, firstRetainedView: 5, restored, nullifyUpToView },
  );
  let outcome = 'open';
  question.answered.then(
    () => {
      outcome = 'may sign';
    },
    (error) => {
      outcome = error.code;
    },
  );
  const answer = (from: PeerKey, votes: readonly Vote[] = [], certificates: readonly Certificate[] = []) =>
    question.onAnswer(from, { epoch: GENESIS_EPOCH, nonce, votes, certificates, proposals: [] });
  const outcomeNow = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return outcome;
  };
  /** All timers that run now fire. */
  const timeOut = () => {
    const due = [...timers.values()];
    timers.clear();
    for (const action of due) action();
  };
  const fill = (full: boolean) => {
    isFull = full;
  };
  return { answer, sentTo, checks, outcomeNow, question, timeOut, timers, warnings, fill };
}

it('ends when every other member has answered', async () => {
  const { answer, outcomeNow } = asked();
  for (const member of [1, 2]) answer(peerOf(member));
  expect(await outcomeNow()).toBe('open');
  answer(peerOf(3));
  expect(await outcomeNow()).toBe('may sign');
});

it('counts no answer from peers outside the committee, nor from itself', async () => {
  const { answer, outcomeNow } = asked();
  for (let nonMember = 0; nonMember < 10; nonMember++) answer(`${nonMember}`.repeat(64) as PeerKey);
  answer(peerOf(0));
  expect(await outcomeNow()).toBe('open');
});

it('waits for the verdict on the votes of one member, though all others answered with none', async () => {
  const { answer, checks, outcomeNow } = asked();
  answer(peerOf(1), [OWN_VOTE]);
  for (const member of [2, 3]) answer(peerOf(member));
  expect(await outcomeNow()).toBe('open');
  checks[0]?.(true);
  expect(await outcomeNow()).toBe('stale-copy');
});

it('rejects signing when a certificate counts a vote that its log does not have', async () => {
  const { answer, checks, outcomeNow } = asked();
  for (const member of [2, 3]) answer(peerOf(member));
  answer(peerOf(1), [], [certificateOf(OWN_VOTE.subject, [0, 1, 2])]);
  expect(await outcomeNow()).toBe('open');
  checks[0]?.(true);
  expect(await outcomeNow()).toBe('stale-copy');
});

it('ignores an invalid certificate', async () => {
  const { answer, checks, outcomeNow } = asked();
  for (const member of [2, 3]) answer(peerOf(member));
  answer(peerOf(1), [], [certificateOf(OWN_VOTE.subject, [0, 1, 2])]);
  await outcomeNow();
  checks[0]?.(false);
  expect(await outcomeNow()).toBe('may sign');
});

it.each([
  ['counts others alone', certificateOf(OWN_VOTE.subject, [1, 2, 3]), NOTHING_RESTORED],
  ['counts a vote of its log', certificateOf(OWN_VOTE.subject, [0, 1, 2]), { ...NOTHING_RESTORED, votes: [OWN_VOTE] }],
  [
    'is older than its log',
    certificateOf({ kind: 'nullify', epoch: GENESIS_EPOCH, view: view(4) }, [0, 1, 2]),
    NOTHING_RESTORED,
  ],
])('needs no verdict on a certificate that %s', async (_, certificate, restored) => {
  const { answer, checks, outcomeNow } = asked(restored);
  for (const member of [1, 2, 3]) answer(peerOf(member), [], [certificate]);
  expect(await outcomeNow()).toBe('may sign');
  expect(checks).toEqual([]);
});

it('waits at the timeout for a pending verdict', async () => {
  const { answer, checks, outcomeNow, timeOut } = asked();
  answer(peerOf(1), [OWN_VOTE]);
  answer(peerOf(2));
  timeOut();
  expect(await outcomeNow()).toBe('open');
  checks[0]?.(true);
  expect(await outcomeNow()).toBe('stale-copy');
});

it('judges an answer also when the lane of the verifier was full', async () => {
  const { answer, checks, outcomeNow, timeOut, fill } = asked();
  for (const member of [2, 3]) answer(peerOf(member));
  fill(true);
  answer(peerOf(1), [OWN_VOTE], [certificateOf(OWN_VOTE.subject, [0, 1, 2])]);
  for (let times = 1; times <= 3; times++) {
    expect(await outcomeNow()).toBe('open');
    timeOut();
  }
  fill(false);
  await outcomeNow();
  timeOut();
  await outcomeNow();
  checks[0]?.(false);
  await outcomeNow();
  checks[1]?.(true);
  expect(await outcomeNow()).toBe('stale-copy');
});

it('needs no more than a quorum at the timeout, its own node included', async () => {
  const { answer, checks, outcomeNow, timeOut, timers } = asked();
  answer(peerOf(1), [OWN_VOTE]);
  answer(peerOf(2));
  checks[0]?.(false);
  expect(await outcomeNow()).toBe('open');
  timeOut();
  expect(await outcomeNow()).toBe('may sign');
  expect(timers.size).toBe(0);
});

it('queries unresponsive members again until a quorum has answered, and warns once', async () => {
  const { answer, sentTo, checks, outcomeNow, timeOut, warnings } = asked();
  answer(peerOf(1));
  for (let times = 1; times <= 5; times++) {
    timeOut();
    expect(await outcomeNow()).toBe('open');
    expect(sentTo).toHaveLength(2 * times);
  }
  expect(new Set(sentTo)).toEqual(new Set([peerOf(2), peerOf(3)]));
  expect(warnings).toHaveLength(1);
  answer(peerOf(3), [OWN_VOTE]);
  checks[0]?.(true);
  expect(await outcomeNow()).toBe('stale-copy');
});

it('queries a member that connects, unless it has answered or the query has ended', async () => {
  const { answer, sentTo, question } = asked();
  answer(peerOf(1));
  for (const member of [1, 2]) question.onConnected(peerOf(member));
  expect(sentTo).toEqual([peerOf(2)]);
  for (const member of [2, 3]) answer(peerOf(member));
  question.onConnected(peerOf(3));
  expect(sentTo).toEqual([peerOf(2)]);
});

it('ends when the node stops', async () => {
  const { outcomeNow, question, timers } = asked();
  question.stop();
  expect(await outcomeNow()).not.toBe('open');
  expect(timers.size).toBe(0);
});

it('rule 5a: learns of which refused views a peer holds its Finalize, if the signature is valid', async () => {
  const { answer, checks, outcomeNow, question } = asked(NOTHING_RESTORED, 90);
  const finalized = (at: number) =>
    [
      {
        subject: { kind: 'finalize', epoch: GENESIS_EPOCH, view: view(at), blockId: GENESIS_ID },
        signer: 0,
        signature: OWN_VOTE.signature,
      },
    ] as const;
  answer(peerOf(1), finalized(3));
  answer(peerOf(2), finalized(4));
  answer(peerOf(3));
  await outcomeNow();
  checks[0]?.(true);
  checks[1]?.(false);
  expect(await outcomeNow()).toBe('may sign');
  expect(question.finalizedUpToView).toBe(3);
});

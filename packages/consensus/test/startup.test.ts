/** The start-up question: who may answer it, and that no answer which has come is overlooked. */
import type { Clock, PeerKey, Random, Verifier } from '@slipstream/ports';
import { BLS_SIGNATURE_BYTES, createCommittee, decodeFrame, view } from '@slipstream/types';
import { expect, it } from 'vitest';
import { NOTHING_RESTORED } from '../src/index.ts';
import { askAtStartup } from '../src/startup.ts';
import { GENESIS_HASH, peerOf } from './core-world.ts';

const committee = createCommittee(
  [0, 1, 2, 3].map((index) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: peerOf(index) })),
);
const OWN_VOTE = {
  subject: { kind: 'nullify', view: view(7) },
  signer: 0,
  signature: new Uint8Array(BLS_SIGNATURE_BYTES),
} as const;

/** Member 0 asks. */
function asked() {
  let nonce = -1;
  const timers: (() => void)[] = [];
  const checks: ((isGood: boolean) => void)[] = [];
  const question = askAtStartup(
    {
      transport: {
        send: () => true,
        broadcast(_lane, frame) {
          const decoded = decodeFrame(frame);
          if (decoded.ok && decoded.value.name === 'startupAsk') nonce = decoded.value.value.nonce;
        },
      },
      clock: { after: (_ms: number, action: () => void) => timers.push(action) } as unknown as Clock,
      random: { below: () => 42 } as unknown as Random,
      verifier: { checkVote: () => new Promise((resolve) => checks.push(resolve)) } as unknown as Verifier,
    },
    { genesisHash: GENESIS_HASH, self: 0, committee, askMs: 1_000, firstRetainedView: 0, restored: NOTHING_RESTORED },
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
  const answer = (from: PeerKey, votes: readonly (typeof OWN_VOTE)[] = []) =>
    question.onAnswer(from, { nonce, votes, proposals: [] });
  const outcomeNow = async () => {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    return outcome;
  };
  return { answer, checks, outcomeNow, timeOut: () => timers[0]?.() };
}

it('ends when every other member has answered', async () => {
  const { answer, outcomeNow } = asked();
  for (const member of [1, 2]) answer(peerOf(member));
  expect(await outcomeNow()).toBe('open');
  answer(peerOf(3));
  expect(await outcomeNow()).toBe('may sign');
});

it('is not answered by strangers, however many connect, nor by oneself', async () => {
  const { answer, outcomeNow } = asked();
  for (let stranger = 0; stranger < 10; stranger++) answer(`${stranger}`.repeat(64) as PeerKey);
  answer(peerOf(0));
  expect(await outcomeNow()).toBe('open');
});

it('waits for the verdict on what one member showed, though all others had nothing to show', async () => {
  const { answer, checks, outcomeNow } = asked();
  answer(peerOf(1), [OWN_VOTE]);
  for (const member of [2, 3]) answer(peerOf(member));
  expect(await outcomeNow()).toBe('open');
  checks[0]?.(true);
  expect(await outcomeNow()).toBe('stale-copy');
});

it('waits for a verdict that is due when the time is over, and for no answer', async () => {
  const late = asked();
  late.answer(peerOf(1), [OWN_VOTE]);
  late.timeOut();
  expect(await late.outcomeNow()).toBe('open');
  late.checks[0]?.(true);
  expect(await late.outcomeNow()).toBe('stale-copy');
  const silent = asked();
  silent.answer(peerOf(1), [OWN_VOTE]);
  silent.checks[0]?.(false);
  silent.timeOut();
  expect(await silent.outcomeNow()).toBe('may sign');
});

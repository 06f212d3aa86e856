/** Limits of a submission stream, and their release when it ends. */
import {
  decodeSubmissionMessage,
  encodeSubmission,
  type SubmissionCode,
  type SubmissionNoticeWish,
} from '@slipstream/schema';
import { asId, TRANSACTION_BYTES_MAX, type TransactionId } from '@slipstream/types';
import { expect, it } from 'vitest';
import { genesis } from '../../client/test/real-chain.ts';
import type { SubmitOutcome } from '../src/index.ts';
import { API_LIMITS } from '../src/options.ts';
import {
  openSubmissionSession,
  SUBMISSION_MESSAGE_BYTES_MAX,
  type SubmissionLimits,
} from '../src/streams/submission-session.ts';
import { realClock } from './running-api.ts';

/** The first byte gives the id, so that each transaction has another one. */
const accept = ([name = 0]: Uint8Array): SubmitOutcome => ({
  type: 'accepted',
  id: asId<TransactionId>(new Uint8Array(32).fill(name)),
  status: 'pending',
  expiryMs: Date.now() + 60_000,
});

interface Setting {
  readonly followed: { total: number };
  readonly wish?: SubmissionNoticeWish;
  readonly limits?: Partial<SubmissionLimits>;
  readonly submitMany?: (transactions: readonly Uint8Array[]) => Promise<readonly SubmitOutcome[]>;
}

function openSession({ followed, wish = 'ends', limits = {}, submitMany = async (all) => all.map(accept) }: Setting) {
  const codes: SubmissionCode[] = [];
  const ended: string[] = [];
  const carrier = {
    send(bytes: Uint8Array) {
      const message = decodeSubmissionMessage(bytes);
      if (message.ok && message.value.type === 'results') codes.push(...message.value.results.map(({ code }) => code));
    },
    unsentBytes: () => 0,
    onRoom() {},
    pause() {},
    resume() {},
    end: (reason: string) => void ended.push(reason),
  };
  const backend = {
    genesis,
    submitMany,
    transaction: async () => ({ type: 'unknown' }) as const,
    moves: { subscribe: () => () => {} },
  };
  const session = openSubmissionSession({ backend, clock: realClock, followed }, carrier, wish, {
    ...API_LIMITS,
    ...limits,
  });
  return {
    session,
    codes,
    ended,
    async send(...names: number[]) {
      session.take(encodeSubmission(names.map((name) => Uint8Array.of(name))));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('all streams together follow no more than a maximum, and what one followed is others’ to follow when it is gone', async () => {
  const followed = { total: 0 };
  const limits = { submissionFollowedTotalMax: 3 };
  const one = openSession({ followed, limits });
  const other = openSession({ followed, limits });
  await one.send(1, 2);
  await other.send(3, 4);
  expect([...one.codes, ...other.codes]).toEqual(['accepted', 'accepted', 'accepted', 'too-many-followed']);
  one.session.gone();
  one.session.gone();
  expect(followed.total).toBe(1);
  await other.send(4, 5, 6);
  expect(other.codes.slice(2)).toEqual(['accepted', 'accepted', 'too-many-followed']);
  other.session.gone();
  expect(followed.total).toBe(0);
});

it('one that is gone before the node has answered leaves nothing behind', async () => {
  const followed = { total: 0 };
  const answered = Promise.withResolvers<void>();
  const submitMany = async (all: readonly Uint8Array[]) => {
    await answered.promise;
    return all.map(accept);
  };
  const { session, send } = openSession({ followed, submitMany });
  await send(1, 2);
  expect(followed.total).toBe(2);
  session.gone();
  answered.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(followed.total).toBe(0);
});

it('one that sends on while the node is busy is ended: no more is kept than two of the largest messages', async () => {
  const { session, ended } = openSession({ followed: { total: 0 }, submitMany: () => new Promise(() => {}) });
  const large = encodeSubmission(Array.from({ length: 7 }, () => new Uint8Array(TRANSACTION_BYTES_MAX)));
  expect(2 * large.length).toBeLessThan(2 * SUBMISSION_MESSAGE_BYTES_MAX);
  // Four batches are with the backend.
  for (let i = 0; i < 4 + 2; i++) session.take(large);
  expect(ended).toEqual([]);
  session.take(large);
  expect(ended).toEqual(['too-many-messages']);
});

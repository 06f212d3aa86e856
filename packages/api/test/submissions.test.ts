import {
  decodeSubmissionMessage,
  encodeSubmission,
  type SubmissionMessage,
  type SubmissionNotice,
  type SubmissionResult,
} from '@slipstream/schema';
import { asId, type TransactionId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { NodeBackend, SubmitOutcome, TransactionMove } from '../src/index.ts';
import { type RunningApi, startApi } from './running-api.ts';

interface Submitter {
  readonly socket: WebSocket;
  readonly messages: SubmissionMessage[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly opened: Promise<unknown>;
  results(): readonly SubmissionResult[];
  notices(): readonly SubmissionNotice[];
}

function connect({ url }: RunningApi, query = ''): Submitter {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/transactions/stream${query}`);
  socket.binaryType = 'arraybuffer';
  const messages: SubmissionMessage[] = [];
  socket.onmessage = ({ data }) => {
    const message = decodeSubmissionMessage(new Uint8Array(data as ArrayBuffer));
    if (!message.ok) throw new Error(message.error);
    messages.push(message.value);
  };
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.onclose = ({ code, reason }) => resolve({ code, reason });
  });
  socket.onerror = () => {};
  return {
    socket,
    messages,
    closed,
    opened: until(() => messages.length > 0),
    results: () => messages.flatMap((message) => (message.type === 'results' ? message.results : [])),
    notices: () => messages.flatMap((message) => (message.type === 'notices' ? message.notices : [])),
  };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A transaction is one byte here, and its id is that byte 32 times, since the fake backend does not decode it. */
const idOf = (byte: number) => asId<TransactionId>(new Uint8Array(32).fill(byte));
const hexOf = (byte: number) => Buffer.alloc(32, byte).toString('hex');
const accepted = (byte: number): SubmitOutcome => ({
  type: 'accepted',
  id: idOf(byte),
  status: 'pending',
  expiryMs: Date.now() + 60_000,
});

/** A backend that accepts everything; the test reports the moves. */
function taking(): { readonly backend: Partial<NodeBackend>; tell(moves: readonly TransactionMove[]): void } {
  const listeners = new Set<(moves: readonly TransactionMove[]) => void>();
  return {
    backend: {
      submitMany: async (transactions) => transactions.map((bytes) => accepted(bytes[0] ?? 0)),
      moves: {
        subscribe(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    },
    tell(moves) {
      for (const listener of listeners) listener(moves);
    },
  };
}

const submission = (...bytes: number[]) => encodeSubmission(bytes.map((byte) => Uint8Array.of(byte)));

describe('a submission stream', () => {
  it('tells every status of a transaction under its number, and nothing after its end', async () => {
    const { backend, tell } = taking();
    const submitter = connect(await startApi({ backend }));
    await submitter.opened;
    submitter.socket.send(submission(7, 8));
    await until(() => submitter.results().length === 2);
    tell([{ id: hexOf(8), status: 'attested' }]);
    await until(() => submitter.notices().length === 1);
    tell([
      { id: hexOf(8), status: 'final', height: 3, index: 5 },
      { id: hexOf(99), status: 'final', height: 3, index: 6 },
    ]);
    tell([{ id: hexOf(8), status: 'expired' }]);
    await until(() => submitter.notices().length === 2);
    expect(submitter.notices()).toEqual([
      { number: 1, status: 'attested', height: 0, index: 0 },
      { number: 1, status: 'final', height: 3, index: 5 },
    ]);
  });

  it('sends ends alone, or nothing, to whoever asked for that', async () => {
    const { backend, tell } = taking();
    const api = await startApi({ backend });
    const ends = connect(api, '?notices=ends');
    const none = connect(api, '?notices=none');
    for (const submitter of [ends, none]) {
      await submitter.opened;
      submitter.socket.send(submission(1));
      await until(() => submitter.results().length === 1);
    }
    tell([{ id: hexOf(1), status: 'attested' }]);
    tell([{ id: hexOf(1), status: 'failed', height: 2, index: 0 }]);
    await until(() => ends.notices().length === 1);
    expect(ends.notices()).toEqual([{ number: 0, status: 'failed', height: 2, index: 0 }]);
    expect(none.notices()).toEqual([]);
  });

  it('reads no further while the node is busy, and loses nothing of what waits', async () => {
    let asked = 0;
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const submitMany = async (transactions: readonly Uint8Array[]) => {
      asked += transactions.length;
      await gate;
      return transactions.map((bytes) => accepted(bytes[0] ?? 0));
    };
    const submitter = connect(await startApi({ backend: { ...taking().backend, submitMany } }));
    await submitter.opened;
    const large = Uint8Array.of(1, ...new Uint8Array(60_000));
    const messages = 200; // 12 MB, far above what the session reads ahead
    for (let i = 0; i < messages; i++) submitter.socket.send(encodeSubmission([large]));
    await until(() => asked === 4);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked).toBe(4);
    expect(submitter.socket.bufferedAmount).toBeGreaterThan(1_000_000);
    letGo();
    await until(() => submitter.results().length === messages);
    expect(submitter.results().every(({ code }) => code === 'accepted')).toBe(true);
  });

  it('refuses more than it follows, and takes more once some have ended', async () => {
    const { backend, tell } = taking();
    const submitter = connect(await startApi({ backend, limits: { submissionFollowedMax: 2 } }));
    await submitter.opened;
    submitter.socket.send(submission(1, 2, 3));
    await until(() => submitter.results().length === 3);
    expect(submitter.results().map(({ code }) => code)).toEqual(['accepted', 'accepted', 'too-many-followed']);
    tell([{ id: hexOf(1), status: 'final', height: 1, index: 0 }]);
    submitter.socket.send(submission(4));
    await until(() => submitter.results().length === 4);
    expect(submitter.results()[3]?.code).toBe('accepted');
  });

  it('passes on why and for how long the node refuses', async () => {
    const outcomes: SubmitOutcome[] = [
      { type: 'overloaded', retryAfterMs: 1234 },
      { type: 'invalid', reason: 'bad-signature', detail: '' },
      { type: 'conflict', detail: '' },
      { ...accepted(4), isKnown: true, status: 'final', height: 9, index: 2 } as SubmitOutcome,
    ];
    const submitter = connect(await startApi({ backend: { ...taking().backend, submitMany: async () => outcomes } }));
    await submitter.opened;
    submitter.socket.send(submission(1, 2, 3, 4));
    await until(() => submitter.notices().length === 1);
    expect(submitter.results().map(({ code }) => code)).toEqual(['overloaded', 'bad-signature', 'conflict', 'known']);
    expect(submitter.messages.find(({ type }) => type === 'results')).toMatchObject({ retryAfterMs: 1234 });
    expect(submitter.notices()).toEqual([{ number: 3, status: 'final', height: 9, index: 2 }]);
  });

  it('closes with the reason when a message makes no sense', async () => {
    const api = await startApi();
    const bad = [Uint8Array.of(9), Uint8Array.of(1, 255, 255, 255, 255), Uint8Array.of(1, 9, 0, 0, 0, 1), 'text'];
    for (const message of bad) {
      const submitter = connect(api);
      await submitter.opened;
      submitter.socket.send(message);
      expect((await submitter.closed).code).toBe(4400);
    }
    expect(api.faults).toEqual([]);
  });

  it('is closed when a message is larger than any may be', async () => {
    const submitter = connect(await startApi());
    await submitter.opened;
    submitter.socket.send(new Uint8Array(600 * 1024).fill(1));
    expect((await submitter.closed).code).toBe(1009);
  });

  it('closes when the node fails at taking transactions, and says so', async () => {
    const submitMany = () => Promise.reject(new Error('the verifier is gone'));
    const submitter = connect(await startApi({ backend: { ...taking().backend, submitMany } }));
    await submitter.opened;
    submitter.socket.send(submission(1));
    expect((await submitter.closed).code).toBe(1011);
  });

  it('is open to a bounded number, and is told when the node stops', async () => {
    const api = await startApi({ limits: { submissionStreamsMax: 1 } });
    const first = connect(api);
    await first.opened;
    const second = connect(api);
    expect((await second.closed).code).toBe(4429);
    await api.stop();
    expect((await first.closed).reason).toContain('stopping');
  });

  it('is refused to pages of foreign origins, and to plain requests', async () => {
    const api = await startApi();
    const foreign = await fetch(`${api.url}/v1/transactions/stream`, { headers: { origin: 'https://evil.example' } });
    expect(await foreign.json()).toMatchObject({ code: 'origin-not-allowed' });
    const plain = await fetch(`${api.url}/v1/transactions/stream`);
    expect(plain.status).toBe(400);
  });
});

/** Requests cost a bounded part of the thread, however many peers send them. */
import { type PeerKey, type PeerStatus, silentTelemetry } from '@slipstream/ports';
import { createCommittee, type SyncRequest } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createAnswerQueue } from '../src/requests/answer-queue.ts';
import type { Archive } from '../src/requests/archive.ts';
import { createSyncServer } from '../src/requests/server.ts';

/** Moves to the next timer when nothing else can happen. */
function world() {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly action: () => void }[] = [];
  const turn = () => new Promise<void>((done) => setImmediate(done));
  return {
    clock: {
      monotonicMs: () => nowMs,
      after(ms: number, action: () => void) {
        timers.push({ atMs: nowMs + ms, action });
        return () => {};
      },
    },
    spend(ms: number) {
      nowMs += ms;
    },
    async runUntil(endMs: number) {
      for (await turn(); nowMs < endMs; await turn()) {
        timers.sort((a, b) => a.atMs - b.atMs);
        const next = timers.shift();
        if (next === undefined) return;
        nowMs = Math.max(nowMs, next.atMs);
        next.action();
      }
    },
  };
}

it('responses are prepared one at a time, in the order of the queries, each followed by a pause', async () => {
  const { clock, spend, runUntil } = world();
  const turns = createAnswerQueue(clock, 3);
  const arrived: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    void turns(async () => {
      spend(10);
      return name;
    }).then((answer) => arrived.push(`${answer} ${clock.monotonicMs()}`));
  }
  await runUntil(1000);
  expect(arrived).toEqual(['a 10', 'b 50', 'c 90']);
});

it('the time that a response waits for the disk is followed by no pause, its work is', async () => {
  const { clock, spend, runUntil } = world();
  const turns = createAnswerQueue(clock, 3);
  const arrived: string[] = [];
  for (const name of ['a', 'b']) {
    void turns(async (work) => {
      spend(100);
      return work(() => {
        spend(10);
        return name;
      });
    }).then((answer) => arrived.push(`${answer} ${clock.monotonicMs()}`));
  }
  await runUntil(1000);
  expect(arrived).toEqual(['a 110', 'b 250']);
});

it('a response that fails is reported, and the next one is prepared', async () => {
  const { clock, runUntil } = world();
  const turns = createAnswerQueue(clock, 3);
  const failed = turns(() => Promise.reject(new Error('the ledger is damaged')));
  const next = turns(async () => 'next');
  await expect(failed).rejects.toThrow('damaged');
  await runUntil(1000);
  expect(await next).toBe('next');
});

const peerOf = (number: number) => number.toString(16).padStart(64, '0') as PeerKey;
const ANSWER_MS = 5;

/** Peers always request a range. Returns the busy time in a second, and answers per peer. */
async function asked(peers: readonly PeerKey[], members: readonly PeerKey[]) {
  const { clock, spend, runUntil } = world();
  const answers = new Map(peers.map((peer) => [peer, 0]));
  let busyMs = 0;
  const request: SyncRequest = { requestId: 1, query: 'finalized', id: new Uint8Array(32), from: 1, to: 64 };
  const server = createSyncServer(
    {} as never,
    {
      async finalizedRange() {
        busyMs += ANSWER_MS;
        spend(ANSWER_MS);
        return { blocks: [], certificates: [] };
      },
    } as Partial<Archive> as Archive,
    {
      transport: {
        peers: () => peers.map((peer) => ({ peer, connected: true, queuedBytes: 0 }) as PeerStatus),
        send(peer) {
          answers.set(peer, (answers.get(peer) ?? 0) + 1);
          setImmediate(() => clock.monotonicMs() < 1000 && server.onRequest(peer, request));
          return true;
        },
      },
      clock,
      telemetry: silentTelemetry,
    },
    createCommittee(members.map((peerKey) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey }))),
  );
  for (const peer of peers) server.onRequest(peer, request);
  await runUntil(1000);
  return { busyMs, answers: [...answers.values()] };
}

it('unknown peers that query ranges without pause take an eighth of the thread, whatever their number', async () => {
  for (const count of [1, 8, 64]) {
    const unknownPeers = Array.from({ length: count }, (_, i) => peerOf(i));
    const { busyMs, answers } = await asked(unknownPeers, []);
    expect(busyMs).toBeLessThanOrEqual(1000 / 8 + 2 * ANSWER_MS);
    expect(busyMs).toBeGreaterThan(100);
    expect(Math.max(...answers) - Math.min(...answers)).toBeLessThanOrEqual(1);
  }
});

it('a member that catches up is served whatever unknown peers query', async () => {
  const [member, ...unknownPeers] = Array.from({ length: 65 }, (_, i) => peerOf(i)) as [PeerKey, ...PeerKey[]];
  const { busyMs, answers } = await asked([member, ...unknownPeers], [member]);
  expect(answers[0]).toBeGreaterThan(30);
  expect(busyMs).toBeLessThanOrEqual(1000 * (1 / 4 + 1 / 8) + 2 * ANSWER_MS);
});

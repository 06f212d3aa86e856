import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { createClock } from '@slipstream/platform';
import { afterEach, expect, it } from 'vitest';
import { type Channel, createChannel, type Side } from '../../src/threads/channel.ts';
import { createTurnProfile, type TurnProfile } from '../../src/threads/turn-profile.ts';

let turns: TurnProfile | undefined;
afterEach(() => turns?.stop());

const counts = (profile: TurnProfile) => new Map(profile.take().map(({ kind, count }) => [kind, count]));

it('counts timers by the file that set them', async () => {
  turns = createTurnProfile();
  await new Promise<void>((resolve) => void createClock().after(1, resolve));
  const kinds = [...counts(turns).keys()];
  expect(kinds.filter((kind) => kind.startsWith('timer of '))).not.toEqual([]);
});

it('names a turn as its receiver says, and counts it once', async () => {
  turns = createTurnProfile();
  const { port1, port2 } = new MessageChannel();
  port2.on('message', () => turns?.turn('a message of a test'));
  for (let at = 0; at < 3; at++) port1.postMessage(at);
  await sleep(20);
  expect(counts(turns).get('a message of a test')).toBe(3);
  port1.close();
  await once(port2, 'close');
});

it('counts a part of a turn, also one that throws, and gives its result', () => {
  turns = createTurnProfile();
  expect(turns.within('part', () => 7)).toBe(7);
  expect(() =>
    turns?.within('part', () => {
      throw new Error('of the part');
    }),
  ).toThrow('of the part');
  expect(counts(turns).get('part')).toBe(2);
  expect(counts(turns).has('part')).toBe(false);
});

it('bounds the number of kinds', () => {
  turns = createTurnProfile();
  for (let at = 0; at < 1_000; at++) turns.within(`kind ${at}`, () => {});
  const taken = counts(turns);
  expect(taken.size).toBeLessThanOrEqual(301);
  expect([...taken.values()].reduce((sum, count) => sum + count, 0)).toBe(1_000);
});

interface Echo extends Side {
  readonly calls: { readonly echo: readonly [number, number] };
  readonly notices: { readonly note: null };
}

interface Nothing extends Side {
  readonly calls: Readonly<Record<never, never>>;
  readonly notices: Readonly<Record<never, never>>;
}

it('names the messages of a channel by kind and direction', async () => {
  turns = createTurnProfile();
  const { port1, port2 } = new MessageChannel();
  const queues = { all: { messagesMax: 8, bytesMax: 1_024, whenFull: 'refuse' } } as const;
  const near: Channel<Echo> = createChannel<Echo, Nothing>(
    { port: port1, handlers: { calls: {}, notices: {} }, profiled: { turns, other: 'far' } },
    { queues, queueOf: { echo: 'all', note: 'all' } },
  );
  const handlers = {
    calls: { echo: async ({ head }: { head: number }) => ({ head, bytes: [] }) },
    notices: { note() {} },
  };
  const far = createChannel<Nothing, Echo>(
    { port: port2, handlers, profiled: { turns, other: 'near' } },
    { queues: {}, queueOf: {} },
  );
  near.notify('note', null);
  expect((await near.call('echo', 5)).head).toBe(5);
  const taken = counts(turns);
  for (const kind of ['to far: echo', 'to far: note', 'from near: echo', 'from near: note', 'from far: answer to echo'])
    expect([kind, taken.get(kind)]).toEqual([kind, 1]);
  near.close();
  far.close();
});

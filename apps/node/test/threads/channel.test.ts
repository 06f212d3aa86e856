import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { NodeError } from '../../src/errors.ts';
import { type Channel, createChannel, type Handlers, type Outlet } from '../../src/threads/channel.ts';
import { messageOf } from '../../src/threads/message.ts';

interface Adder {
  readonly calls: {
    readonly sum: readonly [{ readonly by: number }, number];
    readonly hang: readonly [null, null];
  };
  readonly notices: { readonly note: number };
}
interface Nobody {
  readonly calls: Record<never, never>;
  readonly notices: Record<never, never>;
}

const OUTLET: Outlet<Adder> = {
  queues: {
    calls: { messagesMax: 2, bytesMax: 1000, whenFull: 'refuse' },
    notes: { messagesMax: 2, bytesMax: 1000, whenFull: 'drop' },
  },
  queueOf: { sum: 'calls', hang: 'calls', note: 'notes' },
};
const NOTHING: Outlet<Nobody> = { queues: {}, queueOf: {} };

const open: Channel<never>[] = [];
afterEach(() => {
  for (const channel of open.splice(0)) channel.close();
});

function pair(handlers: Partial<Handlers<Adder>['calls']> & { note?: (at: number) => void } = {}, outlet = OUTLET) {
  const { port1, port2 } = new MessageChannel();
  const faults: Error[] = [];
  const near = createChannel<Adder, Nobody>(
    { port: port1, handlers: { calls: {}, notices: {} }, onFault: (error) => faults.push(error) },
    outlet,
  );
  const far = createChannel<Nobody, Adder>(
    {
      port: port2,
      handlers: {
        calls: {
          sum: async ({ head: { by }, bytes }) =>
            messageOf(bytes.flatMap((each) => [...each]).reduce((a, b) => a + b, by)),
          hang: () => new Promise(() => {}),
          ...handlers,
        },
        notices: { note: ({ head }) => handlers.note?.(head) },
      },
    },
    NOTHING,
  );
  open.push(near as Channel<never>, far as Channel<never>);
  return { near, far, faults };
}

describe('a channel between threads', () => {
  it('answers a call with head and bytes, and leaves the memory of the bytes with the caller', async () => {
    const { near } = pair();
    const pool = new Uint8Array([9, 1, 2, 3, 9]);
    expect((await near.call('sum', { by: 10 }, [pool.subarray(1, 4), new Uint8Array([4])])).head).toBe(20);
    expect([...pool]).toEqual([9, 1, 2, 3, 9]);
  });

  it('rejects a call with the error of the other side, code and message', async () => {
    const { near } = pair({
      sum: async () => {
        throw new NodeError('home-in-use', 'another process runs here');
      },
    });
    const error = await near.call('sum', { by: 1 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NodeError);
    expect(error).toMatchObject({ code: 'home-in-use', message: 'another process runs here' });
  });

  it('rejects calls above the maximum of their queue until one is answered', async () => {
    const release = Promise.withResolvers<void>();
    const { near } = pair({
      hang: async () => {
        await release.promise;
        return messageOf(null);
      },
    });
    const first = [near.call('hang', null), near.call('hang', null)];
    await expect(near.call('hang', null)).rejects.toMatchObject({ code: 'queue-full' });
    release.resolve();
    await Promise.all(first);
    expect((await near.call('sum', { by: 1 })).head).toBe(1);
    expect(near.queues().find(({ name }) => name === 'calls')).toMatchObject({ messages: 0, bytes: 0 });
  });

  it('drops notices above the maximum and counts them, and accepts more as they are handled', async () => {
    const noted: number[] = [];
    const { near } = pair({ note: (at) => noted.push(at) });
    expect([1, 2, 3].map((at) => near.notify('note', at))).toEqual([true, true, false]);
    expect(near.queues().find(({ name }) => name === 'notes')).toMatchObject({ messages: 2, dropped: 1 });
    await near.call('sum', { by: 0 });
    await expect.poll(() => near.queues().find(({ name }) => name === 'notes')?.messages).toBe(0);
    expect(near.notify('note', 4)).toBe(true);
    await expect.poll(() => noted).toEqual([1, 2, 4]);
  });

  it('frees a slot for a handled message along with its next message, or soon', async () => {
    const notes = { messagesMax: 100, bytesMax: 1_000_000, whenFull: 'drop' } as const;
    const { near } = pair({}, { ...OUTLET, queues: { ...OUTLET.queues, notes } });
    const waiting = () => near.queues().find(({ name }) => name === 'notes')?.messages;
    near.notify('note', 1);
    await near.call('sum', { by: 1 });
    expect(waiting()).toBe(0);
    for (let i = 0; i < 40; i++) near.notify('note', i);
    await expect.poll(waiting).toBe(0);
  });

  it('holds a notice for the next message to that side, in the order of sending', async () => {
    const order: string[] = [];
    const { near } = pair({
      note: (at) => order.push(`note ${at}`),
      sum: async ({ head }) => {
        order.push(`sum ${head.by}`);
        return messageOf(0);
      },
    });
    near.notifySoon('note', 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    near.notifySoon('note', 2);
    await near.call('sum', { by: 3 });
    expect(order).toEqual(['note 1', 'note 2', 'sum 3']);
  });

  it('sends held notices when no other message follows, and drops them when it is closed', async () => {
    const noted: number[] = [];
    const { near } = pair({ note: (at) => noted.push(at) });
    near.notifySoon('note', 1);
    await expect.poll(() => noted).toEqual([1]);
    await expect.poll(() => near.queues().find(({ name }) => name === 'notes')?.messages).toBe(0);
    near.notifySoon('note', 2);
    near.close();
    expect(near.notifySoon('note', 3)).toBe(false);
    expect(noted).toEqual([1]);
  });

  it('reports an overflow of a queue that must not overflow', () => {
    const queues = { ...OUTLET.queues, notes: { messagesMax: 1, bytesMax: 1000, whenFull: 'fail' as const } };
    const { near, faults } = pair({}, { ...OUTLET, queues });
    near.notify('note', 1);
    expect(() => near.notify('note', 2)).toThrow(/the queue notes holds 1 messages/);
    expect(faults).toHaveLength(1);
  });

  it('accepts a message larger than its queue when it is alone there', async () => {
    const { near } = pair();
    const answer = near.call('sum', { by: 0 }, [new Uint8Array(5000)]);
    await expect(near.call('sum', { by: 1 }, [new Uint8Array(1)])).rejects.toMatchObject({ code: 'queue-full' });
    expect((await answer).head).toBe(0);
  });

  it('passes an abort on to the handler of the call', async () => {
    const aborted = Promise.withResolvers<void>();
    const { near } = pair({
      hang: async (_, signal) => {
        signal.addEventListener('abort', () => aborted.resolve());
        await aborted.promise;
        return messageOf(null);
      },
    });
    const abort = new AbortController();
    const call = near.call('hang', null, [], abort.signal);
    abort.abort(new Error('no longer of use'));
    await expect(call).rejects.toThrow('no longer of use');
    await aborted.promise;
  });

  it('informs the other end when a notice could not be handled', async () => {
    const { near, faults } = pair({
      note: () => {
        throw new Error('state unknown');
      },
    });
    near.notify('note', 1);
    await expect.poll(() => faults.map(({ message }) => message.split('\n')[0])).toEqual(['Error: state unknown']);
  });

  it('settles every call when the other end closes', async () => {
    const { near, far } = pair();
    const call = near.call('hang', null);
    far.close();
    await expect(call).rejects.toMatchObject({ code: 'failed' });
    await expect(near.call('sum', { by: 1 })).rejects.toMatchObject({ code: 'failed' });
  });
});

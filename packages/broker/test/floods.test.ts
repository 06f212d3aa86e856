/** Clients that cost a node memory, time or places (Q10). */
import { createSimulation } from '@slipstream/simulator';
import { describe, expect, it } from 'vitest';
import { createKnownAddresses } from '../src/known-addresses.ts';
import { createLogins } from '../src/login.ts';
import { createUnsentBytes } from '../src/unsent-bytes.ts';
import { createWorld, row } from './world.ts';

type World = ReturnType<typeof createWorld>;

describe('clients that do not read', () => {
  /** Each change of the terms is a message to all. */
  async function sendTerms(world: World, times: number, after: () => void): Promise<void> {
    for (let i = 0; i < times; i++) {
      world.setChain({ rowFee: BigInt(20 + i) });
      world.commit([]);
      after();
      await world.run(1);
    }
  }

  it.each([
    ['each below its own bound', 100_000],
    ['each above its own bound, and its carrier stays open', 300],
  ])('share one budget: %s', async (_, unsentBytesMax) => {
    const world = createWorld({}, { unsentBytesMax, unsentBytesOfAllMax: 2_000 });
    let isStuck = false;
    const slow = Array.from({ length: 8 }, (__, i) => world.connect([i], { isStuck: () => isStuck }));
    const alice = world.connect([8]);
    await world.run(100);
    isStuck = true;
    const unsent: number[] = [];
    await sendTerms(world, 60, () => unsent.push(slow.reduce((sum, client) => sum + client.unsentBytes(), 0)));
    expect(Math.max(...unsent)).toBeGreaterThan(1_000);
    expect(Math.max(...unsent)).toBeLessThanOrEqual(2_000);
    expect(slow.some(({ closed }) => closed !== undefined)).toBe(true);
    expect(alice.closed).toBeUndefined();
    await world.run(50);
    expect(alice.all('terms')).toHaveLength(60);
  });

  it('are cut off, the fullest first, and those that read meanwhile are not', () => {
    const unsent = createUnsentBytes({ unsentBytesOfAllMax: 1_000 });
    const cut: number[] = [];
    const streams = [400, 300, 290].map((bytes, i) => ({ bytes, unsentBytes: () => streams[i]?.bytes ?? 0, i }));
    const held = streams.map((one) => ({ unsentBytes: one.unsentBytes, cutOff: () => void cut.push(one.i) }));
    for (const one of held) unsent.sent(one);
    (streams[0] as (typeof streams)[0]).bytes = 0;
    (streams[1] as (typeof streams)[0]).bytes = 420;
    unsent.sent(held[1] as (typeof held)[0]);
    expect(cut).toEqual([]);
    (streams[2] as (typeof streams)[0]).bytes = 600;
    unsent.sent(held[2] as (typeof held)[0]);
    expect(cut).toEqual([2]);
  });
});

describe('refused rows', () => {
  const ofAnother = Array.from({ length: 1_024 }, (_, i) => row(4, 5, 1, 1 + i));
  const usedUp = [0, 1, 2, 3].flatMap((sender) => Array.from({ length: 64 }, (_, i) => row(sender, 5, 1, 1 + i)));

  it.each([
    ['of another account', ofAnother],
    ['of used sequences', usedUp],
  ])('%s, 20,000 per second: more end the stream', async (_, rows) => {
    const world = createWorld();
    for (const index of [0, 1, 2, 3]) world.changeState(index, { last: 5_000 });
    let isStuck = false;
    const [gateway, flood] = [world.connect([8, 9]), world.connect([0, 1, 2, 3], { isStuck: () => isStuck })];
    await world.run(100);
    isStuck = true;
    const below = Math.floor(32_768 / rows.length);
    flood.rows(rows, { times: below });
    gateway.rows(rows);
    await world.run(50);
    expect(flood.closed).toBeUndefined();
    flood.rows(rows, { times: 10 });
    await world.run(50);
    expect(flood.closed).toBe('too-many-messages');
    expect(gateway.closed).toBeUndefined();
  });

  it('are counted once per reason and message', async () => {
    const world = createWorld();
    const mallory = world.connect([0]);
    await world.run(100);
    mallory.rows([row(0, 12, 1), row(0, 12, 1, 2), ...ofAnother.slice(0, 1_000)]);
    await world.run(50);
    expect(world.counted.get('broker_rows_refused')).toBe(1_002);
    expect(world.countCalls.get('broker_rows_refused')).toBe(2);
  });

  it('cost nothing while the node is not ready', async () => {
    const world = createWorld();
    let isStuck = false;
    const alice = world.connect([0], { isStuck: () => isStuck });
    await world.run(100);
    world.setChain(undefined);
    isStuck = true;
    alice.rows(ofAnother, { times: 40 });
    await world.run(50);
    expect(world.counted.get('broker_rows_refused')).toBe(40 * ofAnother.length);
    expect(alice.closed).toBeUndefined();
  });
});

describe('streams without a login', () => {
  const idle = (world: World, address: string) => world.connect([1], { isStuck: () => true, address }).isTaken;

  it('are few of an address, until their carriers are closed', async () => {
    const world = createWorld();
    const taken = Array.from({ length: 20 }, () => idle(world, 'mallory'));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(16);
    // Ended, and not read by the client: the sockets are open.
    await world.run(11_000);
    expect(world.broker.stats().sessions).toBe(0);
    expect(idle(world, 'mallory')).toBe(false);
    const alice = world.connect([0]);
    await world.run(100);
    expect(alice.all('welcome')).toHaveLength(1);
  });

  it('that logged in, or are gone, free their places', async () => {
    const world = createWorld();
    for (let i = 0; i < 3; i++) {
      const clients = Array.from({ length: 6 }, (_, at) => world.connect([at], { address: 'office' }));
      await world.run(100);
      expect(clients.every((client) => client.all('welcome').length === 1)).toBe(true);
    }
  });

  it('are few in all, and some places are of addresses whose last login held', async () => {
    const world = createWorld();
    world.connect([0], { address: 'alice' });
    await world.run(100);
    const taken = Array.from({ length: 200 }, (_, i) => idle(world, `mallory ${i % 20}`));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(96);
    expect(idle(world, 'bob')).toBe(false);
    const again = world.connect([0], { address: 'alice' });
    await world.run(100);
    expect(again.all('welcome')).toHaveLength(1);
  });
});

describe('indices of all streams', () => {
  it('are bounded, also when several logins are checked at once', async () => {
    const read = Promise.withResolvers<void>();
    const world = createWorld({ reading: () => read.promise }, { indicesMax: 3 });
    const clients = [world.connect([0, 1]), world.connect([2, 3])];
    await world.run(100);
    read.resolve();
    await world.run(100);
    expect(clients.flatMap((client) => client.all('end')).map(({ reason }) => reason)).toEqual(['index-limit']);
    expect(world.broker.stats()).toMatchObject({ sessions: 1, indices: 2 });
  });

  it('count once: a client comes back at once, however many others there are (Q2)', async () => {
    const world = createWorld({}, { indicesMax: 3 });
    const older = world.connect([0, 1, 2]);
    await world.run(100);
    const newer = world.connect([0, 1, 2]);
    await world.run(100);
    expect(older.closed).toBe('logged-in-again');
    expect(newer.all('welcome')).toHaveLength(1);
  });
});

describe('false logins from many addresses', () => {
  function createFlood() {
    const simulation = createSimulation({ seed: 'logins' });
    const known = createKnownAddresses();
    const check = createLogins({
      clock: simulation.clock({ node: 'broker' }),
      telemetry: { count() {}, gauge() {}, observe() {}, log() {} } as never,
      chain: () => ({ directorySize: 2 ** 20 }) as never,
      checks: { login: async (_: Uint8Array, __: Uint32Array, [isTrue]: Uint8Array) => isTrue === 1 } as never,
      accounts: async (indices) =>
        [...indices].map(() => ({ last: 0, mask: new Uint32Array(2), isRetired: false }) as never),
      genesisHash: new Uint8Array(32) as never,
      broker: '' as never,
      table: { hasRoomFor: () => true, of: () => undefined },
      known,
    });
    const login = async (address: string, isTrue: boolean, count = 1) => {
      const indices = Uint32Array.from({ length: count }, (_, i) => i);
      const aggregate = new Uint8Array(96).fill(isTrue ? 1 : 0);
      const result = await check({ indices, aggregate }, { nonce: new Uint8Array(32), address });
      return result.ok ? 'ok' : result.error;
    };
    const flood = async () => {
      const results: string[] = [];
      for (let i = 0; i < 300; i++) results.push(await login(`mallory ${i}`, false));
      return results.filter((result) => result === 'login-false').length;
    };
    return { login, flood, run: (ms: number) => simulation.run({ untilMs: simulation.nowMs + ms }) };
  }

  it('leave checks for addresses whose last login held', async () => {
    const { login, flood } = createFlood();
    expect(await login('alice', true)).toBe('ok');
    expect(await flood()).toBe(99);
    expect(await login('bob', true)).toBe('login-limit');
    expect(await login('alice', true)).toBe('ok');
    // A false one makes a stranger of it.
    expect(await login('alice', false)).toBe('login-false');
    expect(await login('alice', true)).toBe('login-limit');
  });

  it('do not keep long lists of indices out more than short ones', async () => {
    const { login, flood, run } = createFlood();
    await flood();
    await run(20);
    expect(await login('gateway', true, 16_384)).toBe('ok');
    expect(await login('bob', true)).toBe('login-limit');
  });
});

/** Streams and logins of clients that lie, or do not read (Q1, Q2, Q10). */
import { describe, expect, it } from 'vitest';
import { createWorld, row } from './world.ts';

describe('logins', () => {
  it('hold once: one that was copied from another stream opens none (Q1)', async () => {
    const world = createWorld();
    const alice = world.connect([0]);
    await world.run(100);
    const thief = world.connect([0], { login: alice.loginBytes });
    await world.run(100);
    expect(thief.all('end')[0]?.reason).toBe('login-false');
    alice.rows([row(0, 5, 1)]);
    await world.run(300);
    expect(world.offered).toHaveLength(1);
  });

  it('of a gateway that names indices of others are false (Q1)', async () => {
    const world = createWorld();
    const gateway = world.connect([0, 1, 2], { signers: [1, 2] });
    await world.run(100);
    expect(gateway.all('end')[0]?.reason).toBe('login-false');
    expect(gateway.closed).toBe('login-false');
    expect(world.broker.stats()).toMatchObject({ sessions: 0, indices: 0 });
  });

  it('of indices without an entry, or of a retired one, are refused', async () => {
    const world = createWorld();
    world.changeState(2, { isRetired: true });
    world.setChain({ directorySize: 5 });
    const [unknown, retired] = [world.connect([5]), world.connect([2])];
    await world.run(100);
    expect(unknown.all('end')[0]?.reason).toBe('index-unknown');
    expect(retired.all('end')[0]?.reason).toBe('index-retired');
  });

  it('cost their address a token, so pairings are bounded (Q10)', async () => {
    const world = createWorld();
    const connect = () => world.connect([3], { signers: [4], address: 'mallory' });
    const streams = Array.from({ length: 15 }, connect);
    await world.run(50);
    streams.push(...Array.from({ length: 15 }, connect));
    await world.run(100);
    expect(world.logins).toBe(20);
    expect(
      streams.flatMap((stream) => stream.all('end')).filter(({ reason }) => reason === 'login-limit'),
    ).toHaveLength(10);
    const alice = world.connect([0]);
    await world.run(100);
    expect(alice.all('welcome')).toHaveLength(1);
  });

  it('come in time (Q10)', async () => {
    const world = createWorld();
    const idle = world.connect([0], { isStuck: () => true });
    await world.run(10_100);
    expect(idle.closed).toBe('login-late');
  });

  it('of the same index take it over from the older stream (Q2)', async () => {
    const world = createWorld();
    const [older, gateway] = [world.connect([0]), world.connect([1, 2])];
    await world.run(100);
    older.rows([row(0, 5, 1)]);
    const newer = world.connect([0, 1]);
    await world.run(100);
    expect(older.closed).toBe('logged-in-again');
    expect(gateway.closed).toBeUndefined();
    gateway.rows([row(1, 5, 1), row(2, 5, 1)]);
    await world.run(50);
    expect(gateway.all('refused')).toMatchObject([{ rows: [{ position: 0, reason: 'not-of-session' }] }]);
    expect(newer.all('welcome')[0]?.next).toEqual(Uint32Array.of(2, 1));
  });

  it('are bounded in indices and streams (Q10)', async () => {
    const world = createWorld({}, { indicesMax: 3, sessionsMax: 3 });
    const [, other] = [world.connect([0, 1]), world.connect([2, 3])];
    await world.run(100);
    expect(other.all('end')[0]?.reason).toBe('index-limit');
    world.connect([4]);
    world.connect([5]);
    world.connect([6]);
    expect(world.broker.stats().sessions).toBe(3);
  });
});

describe('streams', () => {
  it('that read nothing are closed (Q10)', async () => {
    const world = createWorld({}, { unsentBytesMax: 300 });
    let isStuck = false;
    const [slow, alice] = [world.connect([0], { isStuck: () => isStuck }), world.connect([1])];
    await world.run(100);
    isStuck = true;
    for (let i = 0; i < 20; i++) {
      world.setChain({ rowFee: BigInt(20 + i) });
      world.commit([]);
    }
    expect(slow.closed).toBe('slow');
    expect(alice.closed).toBeUndefined();
    expect(world.broker.stats()).toMatchObject({ sessions: 1, indices: 1 });
  });

  it('with messages that are none, out of place or too many, are ended', async () => {
    const world = createWorld();
    const [malformed, early, flood] = [
      world.connect([0]),
      world.connect([1], { login: new Uint8Array([3]) }),
      world.connect([2]),
    ];
    await world.run(100);
    malformed.toBroker(new Uint8Array([9, 9, 9]));
    for (let i = 0; i < 1_100; i++)
      flood.toBroker({
        name: 'share',
        value: { batchId: new Uint8Array(32), without: new Uint32Array(), signature: new Uint8Array(192) },
      });
    await world.run(100);
    expect(malformed.closed).toBe('malformed-message');
    expect(early.closed).toBe('malformed-message');
    expect(flood.closed).toBe('too-many-messages');
  });

  it('that close leave no row behind, and their share is not waited for', async () => {
    const world = createWorld();
    const [alice, bob] = [world.connect([0]), world.connect([1], { behaviour: () => 'withholds' })];
    await world.run(100);
    alice.rows([row(0, 5, 1)], { signed: true });
    bob.rows([row(1, 5, 1)], { signed: true });
    await world.run(85);
    bob.disconnect();
    await world.run(50);
    expect(world.offered).toHaveLength(1);
    world.commit([0]);
    await world.run(50);
    expect(world.broker.stats()).toMatchObject({ rows: 0, sessions: 1, indices: 1 });
  });
});

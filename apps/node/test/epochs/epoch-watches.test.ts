/** What follows the epochs of a node: rules that its program does not know, and keys of a rotation. */
import type { Application } from '@slipstream/consensus';
import type { Identity } from '@slipstream/node-home/identity';
import type { Block, Epoch, EpochRecord } from '@slipstream/types';
import { recordOfGenesis } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { testChain } from '../../../../packages/execution/test/session-world.ts';
import { createExchange } from '../../src/assembly/exchange.ts';
import type { Generation } from '../../src/assembly/generation.ts';
import { createKnownRules } from '../../src/epochs/known-rules.ts';
import { watchNextKeys } from '../../src/epochs/next-keys.ts';
import { createNodeEpochs } from '../../src/epochs/node-epochs.ts';

const chain = testChain('epoch-watches');
const first = recordOfGenesis(chain.genesis);
const [member] = first.members as readonly [EpochRecord['members'][number]];
const next = (changed: Partial<EpochRecord>): EpochRecord => ({ ...first, epoch: 1 as Epoch, ...changed });
const known = { version: first.version, artifacts: { has: (hash: Uint8Array) => hash[0] === 1 } };
const running = (byte: number) => ({ applications: [new Uint8Array(32).fill(byte)] });
const none = { blsKeys: [], networkKeys: [] };
const turn = () => new Promise((resolve) => setImmediate(resolve));

function manualClock() {
  const due = new Set<() => void>();
  return {
    due,
    after(_ms: number, action: () => void) {
      due.add(action);
      return () => void due.delete(action);
    },
  };
}

describe('a node whose program does not know the rules of the next epoch', () => {
  function moved(to: EpochRecord = next({ version: first.version + 1 })) {
    const epochs = createNodeEpochs(none, [first], 0 as Epoch);
    const clock = manualClock();
    const failures: unknown[] = [];
    const raised: number[] = [];
    const floorMark = { raise: (version: number) => void raised.push(version) };
    let height = 0;
    const rules = createKnownRules(
      { epochs, committedHeight: () => height, floorMark, clock, fail: (error) => void failures.push(error) },
      known,
    );
    const delivered: number[] = [];
    const application = rules.guard({
      finalized: (_id, block) => void delivered.push(block.height),
    } as Partial<Application> as Application);
    epochs.sealed(to);
    const boundary = { epoch: 0, height: 9 } as Block;
    application.moved?.({ block: boundary } as Parameters<NonNullable<Application['moved']>>[0]);
    epochs.moved(1 as Epoch);
    const commit = (at: number) => {
      height = at;
      rules.committed();
    };
    return { rules, application, delivered, clock, failures, raised, commit };
  }

  it('knows the rules of its own epoch, passes on no block above the boundary, and stops once that is committed', () => {
    const { rules, application, delivered, failures, commit } = moved();
    expect([0, 1].map((epoch) => rules.isKnown(epoch as Epoch))).toEqual([true, false]);
    for (const [epoch, height] of [
      [0, 9],
      [1, 10],
    ])
      application.finalized({} as never, { epoch, height } as Block, {} as never);
    expect(delivered).toEqual([9]);
    commit(8);
    expect(failures).toEqual([]);
    commit(9);
    expect(failures).toMatchObject([{ code: 'version-unknown' }]);
  });

  it('stops in the same way at an epoch with an artifact that it lacks (A14)', () => {
    const parameters = { ...first.parameters, ...running(2) };
    const { rules, failures, raised, commit } = moved(next({ parameters }));
    expect(rules.isKnown(1 as Epoch)).toBe(false);
    rules.begin(next({ parameters }));
    expect(raised).toEqual([]);
    commit(9);
    expect(failures).toMatchObject([{ code: 'application-missing' }]);
    expect(moved(next({ parameters: { ...first.parameters, ...running(1) } })).rules.isKnown(1 as Epoch)).toBe(true);
  });

  it('goes on at an epoch whose artifact was accepted before it began, and stops where it was accepted later', () => {
    const accepted = new Set([1]);
    const epochs = createNodeEpochs(none, [first], 0 as Epoch);
    const failures: unknown[] = [];
    let height = 0;
    const rules = createKnownRules(
      {
        epochs,
        committedHeight: () => height,
        clock: manualClock(),
        floorMark: { raise() {} },
        fail: (error) => void failures.push(error),
      },
      { version: first.version, artifacts: { has: (hash) => accepted.has(hash[0] ?? 0) } },
    );
    const application = rules.guard({} as Application);
    const begin = (epoch: number, byte: number) => {
      epochs.sealed(next({ epoch: epoch as Epoch, parameters: { ...first.parameters, ...running(byte) } }));
      const block = { epoch: epoch - 1, height: 9 * (epoch - 1) } as Block;
      const enters = rules.enters(epoch as Epoch);
      application.moved?.({ block } as Parameters<NonNullable<Application['moved']>>[0]);
      epochs.moved(epoch as Epoch);
      return enters;
    };
    epochs.sealed(next({ epoch: 1 as Epoch, parameters: { ...first.parameters, ...running(2) } }));
    expect(rules.isKnown(1 as Epoch)).toBe(false);
    accepted.add(2);
    expect(begin(1, 2)).toBe(true);
    rules.committed();
    expect(failures).toEqual([]);
    expect(begin(2, 3)).toBe(false);
    accepted.add(3);
    expect(rules.isKnown(2 as Epoch)).toBe(false);
    height = 9;
    rules.committed();
    expect(failures).toMatchObject([
      { code: 'application-missing', message: expect.stringContaining('start the node again') },
    ]);
  });

  it('knows the version of an epoch that only the log has after a restart', () => {
    const epochs = createNodeEpochs(none, [first], 0 as Epoch);
    const rules = createKnownRules(
      { epochs, committedHeight: () => 0, clock: manualClock(), floorMark: { raise() {} }, fail() {} },
      known,
    );
    expect(rules.isKnown(1 as Epoch, { ...first, version: first.version + 1 })).toBe(false);
    expect(rules.isKnown(1 as Epoch, first)).toBe(true);
    expect(rules.isKnown(1 as Epoch)).toBe(true);
  });

  it('raises the floor mark where an epoch begins, and not for rules that it does not know (E12)', () => {
    const { rules, raised } = moved();
    rules.begin(first);
    rules.begin(next({ version: first.version + 1 }));
    expect(raised).toEqual([first.version]);
  });

  it('stops without the commit after a while; a node that stopped before does not fail then', () => {
    const waiting = moved();
    for (const action of waiting.clock.due) action();
    expect(waiting.failures).toMatchObject([{ code: 'version-unknown' }]);
    const stopped = moved();
    stopped.rules.stop();
    expect(stopped.clock.due.size).toBe(0);
  });
});

describe('the keys of a rotation', () => {
  const keysOf = (blsPublicKey: Uint8Array): Pick<Identity, 'blsKeys' | 'networkKeys'> => ({
    blsKeys: [{ publicKey: blsPublicKey, secret: new Uint8Array(32) }],
    networkKeys: [{ peer: member.peerKey, seed: new Uint8Array(32) }],
  });
  const NEW_KEY = new Uint8Array(48).fill(7);

  function watched() {
    const held = { ...keysOf(member.blsPublicKey) };
    const epochs = createNodeEpochs(held, [first], 0 as Epoch);
    const read = Promise.withResolvers<typeof held>();
    const errors: string[] = [];
    let changes = 0;
    const telemetry = { log: (_level: string, message: string) => void errors.push(message) };
    watchNextKeys(
      epochs,
      held,
      () => read.promise,
      { telemetry },
      () => {
        changes += 1;
      },
    );
    epochs.sealed(next({ members: [{ ...member, blsPublicKey: NEW_KEY }, ...first.members.slice(1)] }));
    return { epochs, read, errors, changes: () => changes };
  }

  it('are in use from the boundary on when they are read in time', async () => {
    const { epochs, read, errors, changes } = watched();
    read.resolve(keysOf(NEW_KEY));
    await turn();
    epochs.moved(1 as Epoch);
    expect(epochs.self()).toBe(0);
    expect([errors, changes()]).toEqual([[], 0]);
  });

  it('that are read after the boundary are taken by an exchange of the parts, which follow until then', async () => {
    const { epochs, read, errors, changes } = watched();
    epochs.moved(1 as Epoch);
    expect(epochs.self()).toBeUndefined();
    read.resolve(keysOf(NEW_KEY));
    await turn();
    expect([errors, changes()]).toEqual([[], 1]);
  });

  it('that are missing are reported', async () => {
    const { read, errors, changes } = watched();
    read.resolve(keysOf(member.blsPublicKey));
    await turn();
    expect(errors).toEqual([expect.stringContaining('it will only follow')]);
    expect(changes()).toBe(0);
  });
});

describe('an exchange of parts', () => {
  const generation = (events: string[], name: string) =>
    ({ stop: async () => void events.push(`stop ${name}`) }) as unknown as Generation;

  function exchanging() {
    const events: string[] = [];
    const stopped = Promise.withResolvers<void>();
    const exchange = createExchange(generation(events, 'first'), {
      world: { telemetry: { log() {} } as never, fail: (error) => void events.push(String(error)) },
      api: { pause: () => stopped.promise as never },
      open: async () => {
        events.push('open');
        return generation(events, 'second');
      },
    });
    return { events, exchange, proceed: stopped.resolve };
  }

  it('opens the next ones on what was done to the closed folder', async () => {
    const { events, exchange, proceed } = exchanging();
    exchange.ask('a test', {}, async () => void events.push('act'));
    proceed();
    await turn();
    await exchange.generation.stop();
    expect(events).toEqual(['stop first', 'act', 'open', 'stop second']);
  });

  it('that a stop meets ends without opening any', async () => {
    const { events, exchange, proceed } = exchanging();
    exchange.ask('a test', {}, async () => void events.push('act'));
    await turn();
    const ended = exchange.end();
    exchange.ask('another', {});
    proceed();
    await ended;
    await turn();
    expect(events).toEqual(['stop first', 'act']);
  });
});

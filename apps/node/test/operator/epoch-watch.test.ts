import { RULES_VERSION } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import {
  addition,
  type EpochChain,
  epochChain,
  epochGenesis,
  idOf,
  keysOf,
  operatorOf,
  ready,
  removal,
  rotation,
  weightOf,
} from '../../../../packages/execution/test/epoch-world.ts';
import { createEpochWatch, type EpochVitals } from '../../src/operator/epoch-watch.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };

/** Looks when the test says so. */
function watchOf(chain: EpochChain, ...ownKeys: readonly Uint8Array[]) {
  let look: (() => void) | undefined;
  let fails = false;
  let height = 0;
  const logged: string[] = [];
  const watch = createEpochWatch(
    {
      clock: {
        after(_delayMs, action) {
          look = action;
          return () => {
            look = undefined;
          };
        },
      },
      telemetry: { log: (_level, message) => void logged.push(message) },
      knownVersion: RULES_VERSION,
      artifacts: { stateOf: () => 'missing' },
      read: async (keys) => {
        if (fails) throw new Error('the queue is full');
        return { height, values: keys.map((key) => chain.read(key)) };
      },
    },
    ownKeys,
  );
  onTestFinished(() => watch.stop());
  return {
    watch,
    logged,
    fail: (now: boolean) => {
      fails = now;
    },
    async seen(at = height): Promise<EpochVitals | undefined> {
      height = at;
      await settled();
      look?.();
      await settled();
      return watch.read();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a chain at its beginning: epoch 0, nothing sealed, the key in force', async () => {
  const { seen } = watchOf(epochChain(epochGenesis(FOUR)), keysOf('a').blsPublicKey);
  expect(await seen()).toEqual({
    epoch: 0,
    members: 4,
    isSealed: false,
    blocksSinceSeal: 0,
    ownKey: 'in-force',
    unknownVersion: undefined,
    missingArtifact: undefined,
    unacceptedArtifact: undefined,
    benchedUntil: undefined,
  });
});

test('blocks are counted from the seal, also by a node that starts after it, and no longer in the next epoch', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const { seen } = watchOf(chain);
  chain.decide([weightOf('a', 2)]);
  chain.untilSealed();
  expect(await seen(64)).toMatchObject({ isSealed: true, blocksSinceSeal: 0, ownKey: undefined });
  expect(await seen(134)).toMatchObject({ isSealed: true, blocksSinceSeal: 70 });
  expect(await watchOf(chain).seen(134)).toMatchObject({ blocksSinceSeal: 70 });
  chain.move();
  expect(await seen(141)).toMatchObject({ epoch: 1, isSealed: false, blocksSinceSeal: 0 });
});

test('a rotation is awaited until the node with the next keys is ready; the old key is retired by the next epoch', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const old = watchOf(chain, keysOf('a').blsPublicKey);
  const next = watchOf(chain, keysOf('a', 1).blsPublicKey);
  const both = watchOf(chain, keysOf('a').blsPublicKey, keysOf('a', 1).blsPublicKey);
  expect((await next.seen())?.ownKey).toBeUndefined();
  chain.act(operatorOf('a'), rotation('a', 1));
  expect((await old.seen())?.ownKey).toBe('awaited');
  chain.act(operatorOf('b'), ready('a', { nth: 1 }));
  expect((await old.seen())?.ownKey).toBe('in-force');
  chain.untilSealed();
  expect((await old.seen())?.ownKey).toBe('in-force');
  chain.move();
  expect((await old.seen())?.ownKey).toBe('retired');
  expect((await both.seen())?.ownKey).toBe('retired');
  expect((await next.seen())?.ownKey).toBe('in-force');
});

test('a candidate is awaited; a validator that left is removed when its last epoch is over', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const candidate = watchOf(chain, keysOf('f').blsPublicKey);
  const leaver = watchOf(chain, keysOf('d').blsPublicKey);
  chain.decide([addition('f', 1)]);
  chain.act(operatorOf('d'), { kind: 'leave', validatorId: idOf('d') });
  expect((await candidate.seen())?.ownKey).toBe('awaited');
  chain.untilSealed();
  expect((await leaver.seen())?.ownKey).toBe('in-force');
  chain.move();
  expect((await leaver.seen())?.ownKey).toBe('removed');
});

test('a version that a proposal names and the program does not know is seen while the proposal is open', async () => {
  const chain = epochChain(epochGenesis(FOUR));
  const { seen } = watchOf(chain);
  chain.decide([removal('d')]);
  expect((await seen())?.unknownVersion).toBeUndefined();
  chain.decide([{ kind: 'setVersion', version: 7 }]);
  expect((await seen())?.unknownVersion).toBe(7);
});

test('a validator that lost its turns is benched, and sees from which height on its readiness counts', async () => {
  const chain = epochChain({ ...epochGenesis(FOUR), leaderReputation: true });
  const names = ['a', 'b', 'c', 'd'];
  const watches = names.map((name) => watchOf(chain, keysOf(name).blsPublicKey));
  for (let block = 0; block < 80; block++) {
    chain.turn.lostViews = 1;
    chain.execute([]);
  }
  const seen = await Promise.all(watches.map(({ seen }) => seen()));
  const heights = seen.flatMap((vitals) => vitals?.benchedUntil ?? []);
  expect(heights).toHaveLength(1);
  expect(heights[0]).toBeGreaterThanOrEqual(64 + 1024);
});

test('a read that fails keeps what was seen, and is tried again', async () => {
  const { seen, fail, logged } = watchOf(epochChain(epochGenesis(FOUR)));
  const before = await seen();
  fail(true);
  expect(await seen()).toBe(before);
  expect(logged).toHaveLength(1);
  fail(false);
  expect((await seen(5))?.epoch).toBe(0);
});

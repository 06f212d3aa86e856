import type { PeerKey, PeerStatus } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import type { SyncResponse } from '@slipstream/types';
import { accountKeyText } from '@slipstream/types';
import { expect, onTestFinished, test } from 'vitest';
import { freshApplications } from '../../../../packages/execution/test/application-builders.ts';
import { account } from '../../../../packages/execution/test/builders.ts';
import { type EpochChain, epochChain, epochGenesis, ready } from '../../../../packages/execution/test/epoch-world.ts';
import { watchArtifacts } from '../../src/artifacts/watch-artifacts.ts';
import { artifactWorld, first, second } from './artifact-world.ts';

const { hash } = second;
const peers = ['aa', 'bb', 'cc'].map((byte) => byte.repeat(32) as PeerKey);
const upgrade = { kind: 'upgradeApplication', name: 'token', version: 2, hash } as const;

function upgradeableChain(): EpochChain {
  const holders = [{ owner: accountKeyText(account(1)), value: '1000' }];
  const genesis = { ...epochGenesis({ a: 1, b: 1, c: 1, d: 1 }), applications: [first.inGenesis({ holders })] };
  return epochChain(genesis, freshApplications([first], undefined, [second]));
}

type Answer = 'whole' | 'false' | 'none' | 'stalls';

async function watched(chain: EpochChain, answers: readonly Answer[]) {
  const world = await artifactWorld();
  const asked: PeerKey[] = [];
  const faults: PeerKey[] = [];
  let look: (() => void) | undefined;
  let nowMs = 0;
  const bytes: Readonly<Record<Answer, Uint8Array | undefined>> = {
    whole: second.artifact,
    false: second.artifact.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
    none: undefined,
    stalls: undefined,
  };
  const watch = watchArtifacts({
    clock: {
      monotonicMs: () => nowMs,
      after(_delayMs, action) {
        look = action;
        return () => {
          look = undefined;
        };
      },
    },
    random: createRandom(3),
    telemetry: silentTelemetry,
    read: async (keys) => ({ height: 0, values: keys.map((key) => chain.read(key)) }),
    artifacts: world.artifacts,
    transport: { peers: () => peers.map((peer) => ({ peer, connected: true, role: 'validator' }) as PeerStatus) },
    async ask(peer): Promise<SyncResponse | undefined> {
      asked.push(peer);
      const answer = answers[peers.indexOf(peer)] ?? 'none';
      const piece = bytes[answer];
      if (answer === 'stalls') return undefined;
      return { requestId: 0, blocks: [], certificates: [], chunks: piece ? [piece] : [], more: false };
    },
    onFault: (peer) => void faults.push(peer),
  });
  onTestFinished(() => watch.stop());
  return {
    ...world,
    asked,
    faults,
    async look(atMs: number) {
      nowMs = atMs;
      await settled();
      look?.();
      await settled();
    },
  };
}

/** Files are written. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));

test('nothing is asked for that neither a record nor an open proposal names', async () => {
  const { look, asked, artifacts } = await watched(upgradeableChain(), ['whole', 'whole', 'whole']);
  await look(0);
  expect(asked).toEqual([]);
  expect(artifacts.list().map(({ state, namedBy }) => [state, namedBy])).toEqual([['accepted', 'record']]);
});

test('a proposed artifact is fetched from the peer that has it; who sends other bytes is blamed, who sends none is not', async () => {
  const chain = upgradeableChain();
  chain.decide([upgrade]);
  const { look, faults, artifacts, loaded } = await watched(chain, ['false', 'stalls', 'whole']);
  for (const atMs of [0, 60_000, 120_000]) await look(atMs);
  expect(artifacts.stateOf(hash)).toBe('fetched');
  expect(faults.every((peer) => peer === peers[0])).toBe(true);
  expect(loaded).toEqual([]);
});

test('one that no peer has is asked for more and more seldom', async () => {
  const chain = upgradeableChain();
  chain.decide([upgrade]);
  const { look, asked, artifacts } = await watched(chain, ['none', 'false', 'stalls']);
  await look(0);
  const once = asked.length;
  expect(once).toBe(3);
  await look(1_000);
  expect(asked).toHaveLength(once);
  await look(100_000);
  expect(asked).toHaveLength(2 * once);
  expect(artifacts.stateOf(hash)).toBe('missing');
});

test('what records of earlier epochs name is served from then on, and the sealed record counts as named', async () => {
  const chain = upgradeableChain();
  chain.decide([upgrade]);
  for (const name of ['a', 'b', 'c', 'd'])
    expect(chain.act(5, ready(name, { epoch: chain.epoch, artifacts: [hash] })).code).toBeUndefined();
  chain.untilSealed();
  const { look, artifacts } = await watched(chain, ['whole', 'whole', 'whole']);
  await look(0);
  expect(artifacts.list().find((each) => each.state === 'fetched')).toMatchObject({ namedBy: 'record', version: 2 });
  chain.move();
  await look(10_000);
  expect(artifacts.piece(first.hash, 0)).toBeDefined();
});

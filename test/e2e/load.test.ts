/** Under load above capacity, and while validators die, every accepted transaction is accounted for. */
import {
  createSeededRandom,
  createSignerPool,
  killValidators,
  prepareChain,
  type RunComponents,
  type RunOptions,
  type RunResult,
  runSteady,
  type SignerPool,
  startOwnNetwork,
  type TargetNetwork,
} from '@slipstream/app-loadgen';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SEED = 'end to end';
let network: TargetNetwork;
let pool: SignerPool;
let components: RunComponents;
let nextBlock = 0;

beforeAll(async () => {
  const say = () => {};
  network = await startOwnNetwork({ validators: 4, fullNodes: 1, accounts: 500, say });
  const chain = await prepareChain(network.nodes, { seed: SEED, accounts: 500, transactionBytes: 0 });
  pool = createSignerPool(chain.task, 2);
  const { unit } = createSeededRandom(SEED);
  components = { chain, pool, nodes: network.nodes, unit, wallMs: Date.now, say };
});

afterAll(async () => {
  await pool?.close();
  await network?.close();
});

async function press(transactionsPerSecond: number, seconds: number, more: Partial<RunOptions> = {}) {
  const options = { transactionsPerSecond, seconds, firstBlock: nextBlock, audits: true, readsNodes: false, ...more };
  const result = await runSteady(components, options);
  nextBlock += result.blocks;
  return result;
}

function expectPromisesKept({ counts, audit }: RunResult): void {
  expect(counts).toMatchObject({ lost: 0, pending: 0, failed: 0 });
  expect(audit?.faults).toEqual({ twice: [], missing: [], resurrected: [], contradicted: [] });
}

test('excess load is refused with a retry time, and accepted transactions are final once or expired', async () => {
  let over: RunResult | undefined;
  // Capacity depends on the machine.
  for (const rate of [1_500, 3_000, 6_000, 12_000]) {
    over = await press(rate, 6);
    expectPromisesKept(over);
    if (over.counts.refused > 0) break;
  }
  if (over === undefined) expect.fail('nothing was sent');
  expect(over.counts.refused).toBeGreaterThan(0);
  expect(over.refusedForNow).toBe(over.counts.refused);
  expect(over.counts.final).toBeGreaterThan(0);
});

test('once the load ends, the next transactions are served normally', async () => {
  const { counts, ...result } = await press(20, 4);
  expectPromisesKept({ counts, ...result });
  expect(counts).toMatchObject({ sent: 80, accepted: 80, final: 80, refused: 0, expired: 0 });
});

test('validators are killed and restarted under load: each accepted transaction is final exactly once, or expired', async () => {
  const { cluster } = network;
  if (cluster === undefined) expect.fail('it is a network of its own');
  let kills = 0;
  const result = await press(60, 20, {
    during: async (signal) => {
      kills = await killValidators(cluster, { unit: components.unit, signal, say: () => {} });
    },
  });
  expect(kills).toBeGreaterThan(0);
  expectPromisesKept(result);
  const { sent, accepted, refused, unanswered, final, expired } = result.counts;
  expect(accepted + refused + unanswered).toBe(sent);
  expect(final + expired).toBe(accepted);
  expect(final).toBeGreaterThan(0);
});

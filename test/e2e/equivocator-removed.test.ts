/** A validator that signs two blocks of a view is reported by a node that saw both, and the next seal removes it: without an operator. */
import { watchedLoad } from '@slipstream/app-loadgen';
import { root } from '@slipstream/checkout';
import { eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askFor } from '../chaos/hostile/two-faced-deeds.ts';
import { metricOf } from '../chaos/metrics.ts';

const TRAITOR = 'validator-3';
const HONEST = ['validator-0', 'validator-1', 'validator-2'];
const REPORTS = 'slipstream_account_transactions_total{kind="reportEquivocation"}';
const MS_MAX = 180_000;
let network: TemporaryNetwork;
let running: Awaited<ReturnType<typeof watchedLoad>>;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    runtimeFlagsOf: ({ name }) => (name === TRAITOR ? ['--import', `${root}/test/chaos/hostile/two-faced.mjs`] : []),
  });
  await network.start();
  await askFor(network.node(TRAITOR).home, 'to-all');
  running = await watchedLoad(network, 20);
}, MS_MAX);

afterAll(async () => {
  running?.watch.stop();
  await network?.remove();
});

test(
  'a validator that equivocates leaves the committee without an operator',
  async () => {
    const { client } = network.node('validator-0');
    await eventually(
      'an honest node is in epoch 1',
      MS_MAX,
      async () => (await client.status()).epoch >= 1 || undefined,
    );
    const record = await client.epoch(1);
    expect(record.members.map(({ name }) => name)).toEqual(HONEST);
    const { height } = await client.status();
    await eventually('the others go on', MS_MAX, async () => (await client.status()).height > height + 10 || undefined);
    const sent = await Promise.all(HONEST.map((name) => metricOf(network.node(name), REPORTS)));
    expect(Math.max(...sent)).toBe(1);
    await running.load.finish();
    expect(running.load.sent.lost()).toEqual([]);
  },
  MS_MAX,
);

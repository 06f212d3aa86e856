/** Running nodes have every metric of dashboard and alert rules. */
import { readFile } from 'node:fs/promises';
import { generateKeyPair } from '@slipstream/client';
import { eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** This chain has no account directory; broker.test.ts has these. */
const OF_BROKERS = 'slipstream_broker_';

let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 2, fullNodes: 1 });
  await network.start();
});

afterAll(async () => {
  await network?.remove();
});

async function metricsOf(name: string): Promise<string> {
  return (await fetch(`${network.node(name).url}/metrics`)).text();
}

test('each metric that dashboard and alert rules ask for is reported, once a transaction is final', async () => {
  const { client } = network.node('full-node-0');
  const { status } = await client.faucet(generateKeyPair().accountText, { wait: 'final', timeoutMs: 20_000 });
  expect(status).toBe('final');
  const folder = new URL('../../scripts/containers/monitoring/', import.meta.url);
  const files = await Promise.all(
    ['alerts.yml', 'slipstream-dashboard.json'].map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  const used = [...new Set(files.flatMap((text) => text.match(/\bslipstream_[a-z0-9_]+/g) ?? []))];
  expect(used.length).toBeGreaterThan(80);
  const missing = async () => {
    const text = `${await metricsOf('full-node-0')}\n${await metricsOf('validator-0')}`;
    return used.filter((name) => !name.startsWith(OF_BROKERS) && !new RegExp(`^${name}[{ ]`, 'm').test(text));
  };
  // Some are reported once per second.
  await eventually('all metrics', 15_000, async () => ((await missing()).length === 0 ? true : undefined)).catch(
    () => {},
  );
  expect(await missing()).toEqual([]);
});

/** A chain older than the trust of a new node: one with a checkpoint pins its committee, one without it warns, one with another's stops. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

const VALIDATORS = ['validator-0', 'validator-1', 'validator-2', 'validator-3'];
const [PINNED, WRONG, UNPINNED] = ['full-node-0', 'full-node-1', 'full-node-2'] as const;
/** An idle chain makes a block a second by default, and the first state to take over is fifty up. Faster ones replace it too soon. */
const FAST_BLOCKS = ['--consensus-min-block-interval-ms', '50', '--consensus-idle-block-interval-ms', '250'];
const MS_MAX = 120_000;
const OLD_MS = 31 * 24 * 60 * 60 * 1000;
const WARNING = /the newest block that this node knows is 31 days old, of epoch 0/;
const main = join(root, 'apps/node/bin/main.mjs');
let network: TemporaryNetwork;

async function slipstream(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args]);
  return stdout;
}

const logOf = (name: string) => readFile(network.node(name).process.logFile, 'utf8');
const some = (...names: readonly string[]) => ({ ...network, nodes: names.map(network.node) });

async function setInConfig(home: string, section: string, values: Record<string, unknown>): Promise<void> {
  const path = join(home, HOME.config);
  const config = parse(await readFile(path, 'utf8')) as Record<string, Record<string, unknown> | undefined>;
  await writeFile(path, stringify({ ...config, [section]: { ...config[section], ...values } }));
}

function setCheckpoint(name: string, checkpoint: string): Promise<void> {
  return setInConfig(network.node(name).home, 'sync', { checkpoint });
}

/** As `slipstream epochs N` shows it. */
async function checkpointLine(): Promise<string> {
  const text = await slipstream('epochs', '0', '--url', network.node('validator-0').url);
  const line = /checkpoint\s+(0:0x[0-9a-f]{64})/.exec(text)?.[1];
  if (line === undefined) throw new Error(`no checkpoint in ${text}`);
  return line;
}

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 3,
    flags: ['--sync-snapshot-every', '20', ...FAST_BLOCKS],
    flagsOf: ({ name }) => (VALIDATORS.includes(name) ? [] : ['--sync-distance', '20']),
  });
  for (const { home } of network.nodes) {
    const path = join(home, HOME.genesis);
    const genesis = JSON.parse(await readFile(path, 'utf8')) as { timestampMs: number };
    await writeFile(path, JSON.stringify({ ...genesis, timestampMs: genesis.timestampMs - OLD_MS }));
    // It is of the chain with the other genesis.
    await setInConfig(home, 'sessions', { committeeCertificate: '' });
  }
  await network.start(VALIDATORS);
  await untilHeight(some(...VALIDATORS), 50, MS_MAX);
});

afterAll(() => network?.remove());

test('a new node with the checkpoint of a trusted node takes over a state, and does not warn', async () => {
  await setCheckpoint(PINNED, await checkpointLine());
  await network.start([PINNED]);
  const { height } = await network.node('validator-0').client.status();
  await untilHeight(some(PINNED), height + 5, MS_MAX);
  const log = await logOf(PINNED);
  expect(log).toMatch(/state sync: at height [0-9]+/);
  expect(log).not.toMatch(WARNING);
  expect((await network.node(PINNED).client.status()).alerts.map(({ rule }) => rule)).not.toContain('old-trust');
});

test('a new node with the checkpoint of another chain stops, and says which committee it found', async () => {
  const right = await checkpointLine();
  const wrong = `0:0x${'5a'.repeat(32)}`;
  await setCheckpoint(WRONG, wrong);
  const died = new Promise<number | null>((resolve) => {
    network.onDeath(({ name }, { code }) => {
      if (name === WRONG) resolve(code);
    });
  });
  await network.start([WRONG]).catch(() => undefined);
  expect(await died).toBe(1);
  const why = await eventually('its log says why', MS_MAX, async () => {
    const errors = (await network.node(WRONG).process.errors()).join('\n');
    return errors.includes('sync.checkpoint') ? errors : undefined;
  });
  expect(why).toContain(`the committee of epoch 0 is ${right.slice(2)} here, and ${wrong.slice(2)} was expected`);
  expect(why).toContain('Compare with a source that you trust (slipstream epochs)');
});

test('a new node without a checkpoint warns of old trust in log, status and doctor', async () => {
  await network.start([UNPINNED]);
  await untilHeight(some(UNPINNED), 50, MS_MAX);
  expect(await logOf(UNPINNED)).toMatch(WARNING);
  const node = network.node(UNPINNED);
  const alert = await eventually('the alert', MS_MAX, async () =>
    (await node.client.status()).alerts.find(({ rule }) => rule === 'old-trust'),
  );
  expect(alert.message).toMatch(WARNING);
  expect(alert.remedy).toContain('sync.checkpoint');
  const doctor = await slipstream('doctor', '--home', node.home).catch(
    (error: { stdout?: string }) => error.stdout ?? '',
  );
  expect(doctor).toMatch(WARNING);
});

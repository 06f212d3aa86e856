/** A node killed during a state sync continues with the complete files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { watchedLoad } from '@slipstream/app-loadgen';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { DATA, HOME } from '@slipstream/node-home';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STAGED } from '../../apps/node/src/storage/sync-folder.ts';

const LATE = 'full-node-0';
const VALIDATORS = ['validator-0', 'validator-1', 'validator-2', 'validator-3'];
/** Enough to serve a snapshot, too few for a block: so the snapshot stays the same. */
const SERVERS = VALIDATORS.slice(0, 2);
const FLAGS = ['--sync-distance', '15', '--sync-snapshot-every', '20', '--consensus-min-block-interval-ms', '50'];
/** Some ten megabytes: many round trips of 256 KiB. */
const ACCOUNTS = 50_000;
const ROUND_TRIP_MS = 200;
const SEEN_MS_MAX = 90_000;

let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 1,
    flags: FLAGS,
    generatedAccounts: ACCOUNTS,
    flagsOf: ({ name }, all) =>
      name === LATE
        ? [
            '--network-delays',
            all.flatMap((from) => (from.name === LATE ? [] : `${from.peerKey}=${ROUND_TRIP_MS}+0`)).join(),
          ]
        : [],
  });
  await network.start(VALIDATORS);
});

afterAll(() => network?.remove());

test('a node killed during a state sync retains its complete files, and joins', async () => {
  const validators = { ...network, nodes: VALIDATORS.map(network.node) };
  const { load, watch } = await watchedLoad(validators, 50);
  await untilHeight(validators, 50, SEEN_MS_MAX);
  await load.finish();
  watch.stop();
  await network.kill(VALIDATORS.filter((name) => !SERVERS.includes(name)));

  const { home, process, client } = network.node(LATE);
  process.start();
  await eventually('some files are whole, and another is not', SEEN_MS_MAX, async () => {
    const files = await readdir(join(home, HOME.data, STAGED.state));
    return files.some((name) => name.endsWith('.log')) && files.some((name) => name.endsWith('.part'))
      ? true
      : undefined;
  });
  await process.kill();
  expect(await logged(process.logFile, 'state sync: at height')).toBeUndefined();

  process.start();
  const done = await eventually('the state is taken over', SEEN_MS_MAX, () =>
    logged(process.logFile, 'state sync: at height'),
  );
  expect(done.retainedBytes).toBeGreaterThan(0);
  expect(done.fetchedBytes).toBeGreaterThan(0);
  expect(Number(done.retainedBytes) + Number(done.fetchedBytes)).toBe(done.totalBytes);
  await eventually('what was staged is gone', SEEN_MS_MAX, async () =>
    (await readdir(join(home, HOME.data))).includes(DATA.sync) ? undefined : true,
  );

  await network.start(VALIDATORS.filter((name) => !SERVERS.includes(name)));
  const height = Number(done.height) + 20;
  await untilHeight(network, height, SEEN_MS_MAX);
  const [own, theirs] = await Promise.all([client.block(height), network.node('validator-0').client.block(height)]);
  expect(own.block).toEqual(theirs.block);
  expect(await process.errors()).toEqual([]);
});

/** Fields of the first log line with this message. */
async function logged(file: string, message: string): Promise<Record<string, unknown> | undefined> {
  const text = await readFile(file, 'utf8');
  const line = text.split('\n').find((each) => each.includes(message));
  return line === undefined ? undefined : JSON.parse(line);
}

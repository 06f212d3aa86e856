/** A node retains the last blocks and the last minute, or everything; pruned data is reported as such. */
import { ClientError } from '@slipstream/client';
import {
  eventually,
  removeFolder,
  type TemporaryNetwork,
  temporaryFolder,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWallClocks, type WallClocks } from '../../scripts/chaos/wall-clocks.ts';
import { FAST_BLOCKS } from './fast-blocks.ts';

const PRUNED_MS_MAX = 120_000;
/** Above the retained blocks. */
const BLOCKS = 10;
/** A minute of blocks is retained in any case (replay protection): the clocks of both nodes go over it. */
const MINUTE_MS = 61_000;
let clockFolder: string;
let clocks: WallClocks;
let pruning: TemporaryNetwork;
let archive: TemporaryNetwork;

beforeAll(async () => {
  clockFolder = await temporaryFolder();
  clocks = createWallClocks(clockFolder);
  const runtimeFlagsOf = () => clocks.runtimeFlagsOf('both');
  pruning = await temporaryNetwork({
    validators: 1,
    runtimeFlagsOf,
    flags: ['--retention-blocks', '5', ...FAST_BLOCKS],
  });
  archive = await temporaryNetwork({
    validators: 1,
    runtimeFlagsOf,
    flags: ['--retention-blocks', '5', '--retention-archive', 'true', ...FAST_BLOCKS],
  });
  await Promise.all([pruning.start(), archive.start()]);
  await Promise.all([pruning, archive].map((network) => untilHeight(network, BLOCKS, PRUNED_MS_MAX)));
  clocks.move('both', MINUTE_MS);
});

afterAll(async () => {
  await Promise.all([pruning?.remove(), archive?.remove()]);
  await removeFolder(clockFolder);
});

/** HTTP status of each answer about height 1. */
async function answersOf(network: TemporaryNetwork): Promise<readonly number[]> {
  const { url } = network.nodes[0] as (typeof network.nodes)[0];
  const paths = ['blocks/1', 'blocks/1/transactions', 'blocks/1/outcomes', 'certificates/1'];
  return Promise.all(paths.map(async (path) => (await fetch(`${url}/v1/${path}`)).status));
}

test('a pruning node answers 410 for pruned blocks, and serves the rest; an archive serves all', async () => {
  const { client } = pruning.nodes[0] as (typeof pruning.nodes)[0];
  await eventually('height 1 gone', PRUNED_MS_MAX, async () =>
    client.block(1).then(
      () => undefined, // not pruned
      (error: unknown) => (error instanceof ClientError && error.problem?.code === 'pruned' ? true : undefined),
    ),
  );
  expect(await answersOf(pruning)).toEqual([410, 410, 410, 410]);
  const { height } = await client.status();
  expect((await client.block(height)).block.height).toBe(height);
  await eventually('the archive as far', PRUNED_MS_MAX, async () =>
    (await (archive.nodes[0] as (typeof archive.nodes)[0]).client.status()).height >= height ? true : undefined,
  );
  expect(await answersOf(archive)).toEqual([200, 200, 200, 200]);
});

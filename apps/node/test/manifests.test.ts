/** The Kubernetes manifests mount every file that init creates. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capturedTerminal } from '../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../src/cli/run.ts';

const GUIDE = join(import.meta.dirname, '../../../docs/kubernetes');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-manifests-'));
  const line = 'init --validators 1 --fullnodes 1 --addresses validator-{i}:9000 --out chain';
  expect(await runCommandLine(line.split(' '), capturedTerminal(folder))).toBe(0);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['validator-0', 'validator.yaml'],
  ['full-node-0', 'full-node.yaml'],
])('every file of %s is mounted by %s, and given to the cluster by the guide', async (name, manifest) => {
  const made = await readdir(join(folder, 'chain', name));
  const mounted = [
    ...(await readFile(join(GUIDE, manifest), 'utf8')).matchAll(/mountPath: \/home\/node\/chain\/(.+)/g),
  ];
  expect(mounted.map(([, path]) => path).sort()).toEqual(made.sort());
  const given = [...(await readFile(join(GUIDE, 'README.md'), 'utf8')).matchAll(/--from-file=chain\/\$node\/(\S+)/g)];
  expect(given.map(([, path]) => path).sort()).toEqual(made.sort());
});

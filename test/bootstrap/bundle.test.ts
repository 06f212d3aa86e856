import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleEntry } from '../../packages/checkout/src/bundle.mjs';
import { buildBundle } from '../../scripts/bootstrap/bundle.mjs';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const program = `import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fail } from '../part.ts';
export async function run(): Promise<void> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url));
  const [text] = await once(thread, 'message');
  console.log(text);
  try { fail(); } catch (error) { console.log((error as Error).stack); }
}
`;

const part = `// A comment, which the bundle need not have.

export interface Unused { readonly a: number }

export function fail(): never {
  throw new RangeError('out of range');
}
`;

const thread = `import { parentPort } from 'node:worker_threads';
import { fail } from '../part.ts';
parentPort?.postMessage('the thread runs ' + fail.name);
`;

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bundle-')));
  put('apps/node/package.json', '{ "type": "module" }');
  put('apps/node/src/cli/program.ts', program);
  put('apps/node/src/cli/thread.ts', thread);
  put('apps/node/src/part.ts', part);
  put('node_modules/.package-lock.json', '{}');
  put('scripts/bootstrap/bundle.mjs', '');
  cpSync(join(repository, 'packages/checkout'), join(root, 'packages/checkout'), { recursive: true });
  mkdirSync(join(root, 'node_modules/@slipstream'));
  symlinkSync(join(root, 'packages/checkout'), join(root, 'node_modules/@slipstream/checkout'));
  for (const name of readdirSync(join(root, 'packages/checkout/src'))) age(`packages/checkout/src/${name}`, 60_000);
  age('packages/checkout/package.json', 60_000);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Written a minute ago: a change during the build would be one of the same moment. */
function put(path: string, text: string, agoMs = 60_000): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  age(path, agoMs);
}

function age(path: string, agoMs: number): void {
  const atSeconds = (Date.now() - agoMs) / 1000;
  utimesSync(join(root, path), atSeconds, atSeconds);
}

async function build(isImage = false): Promise<string> {
  await buildBundle({ root, isImage });
  const entry = bundleEntry(root);
  expect(entry).toBeDefined();
  return entry as string;
}

function runEntry(entry: string): string {
  put('run.mjs', `await (await import(${JSON.stringify(pathToFileURL(entry).href)})).run();`);
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'run.mjs')]);
  return `${stdout}${stderr}`;
}

it('a bundle runs the program and the modules of its threads, and stack traces name the sources', async () => {
  const output = runEntry(await build());
  expect(output).toContain('the thread runs fail');
  expect(output).toContain('RangeError: out of range');
  expect(output).toContain(`at fail (${pathToFileURL(join(root, 'apps/node/src/part.ts')).href}:6:`);
});

it('a bundle is stale once a source, a package or the installed dependencies changed', async () => {
  await build();
  const paths = ['apps/node/src/cli/thread.ts', 'apps/node/package.json', 'packages/checkout/src/root.mjs'];
  for (const path of [...paths, 'node_modules/.package-lock.json']) {
    age(path, 30_000);
    expect(bundleEntry(root)).toBeUndefined();
    await build();
  }
  rmSync(join(root, 'apps/node/src/part.ts'));
  expect(bundleEntry(root)).toBeUndefined();
});

it('a change of the same size, or to an earlier time, makes a bundle stale', async () => {
  await build();
  put('apps/node/src/part.ts', part.replace('out of', 'not in'), 90_000);
  expect(bundleEntry(root)).toBeUndefined();
});

it('a source that changes during the build leaves the previous bundle in use', async () => {
  const first = await build();
  put('apps/node/src/part.ts', part, -60_000);
  await expect(buildBundle({ root, isImage: false })).rejects.toThrow('apps/node/src/part.ts changed');
  expect(bundleEntry(root)).toBeUndefined();
  expect(existsSync(first)).toBe(true);
});

it('a build leaves the previous bundle to the processes that run it', async () => {
  const [first, second, third] = [await build(), await build(), await build()];
  expect(second).not.toBe(first);
  expect(third).toBe(first);
  expect(existsSync(second)).toBe(true);
});

it('the bundle of an image does not compare sources, whose times an image may change', async () => {
  const entry = await build(true);
  put('apps/node/src/part.ts', part, 30_000);
  expect(bundleEntry(root)).toBe(entry);
});

it('a bundle without a complete record is not used', async () => {
  expect(bundleEntry(root)).toBeUndefined();
  await build();
  put('apps/node/dist/bundle.json', '{"entry":"a/pro');
  expect(bundleEntry(root)).toBeUndefined();
});

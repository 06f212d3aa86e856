import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bundleEntry } from '../../packages/checkout/src/bundle.mjs';
import { buildBundle, programOf, threads } from '../../scripts/bootstrap/bundle.mjs';
import { ensureBundle } from '../../scripts/bootstrap/bundle-build.mjs';

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
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bundle #1 100% ')));
  put('apps/node/package.json', '{ "type": "module" }');
  put('apps/node/src/cli/program.ts', program);
  put('apps/node/src/cli/thread.ts', thread);
  put('apps/node/src/part.ts', part);
  put('node_modules/.package-lock.json', '{}');
  put('scripts/bootstrap/bundle.mjs', '');
  put('tsconfig.json', '{}');
  cpSync(join(repository, 'packages/checkout'), join(root, 'packages/checkout'), { recursive: true });
  mkdirSync(join(root, 'node_modules/@slipstream'));
  symlinkSync(join(root, 'packages/checkout'), join(root, 'node_modules/@slipstream/checkout'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** A build takes a change of the moment in which it starts for one that came later. */
function untilFileClockAdvances(): void {
  const nowMs = (): number => {
    put('clock', '');
    return statSync(join(root, 'clock')).ctimeMs;
  };
  for (const startMs = nowMs(); nowMs() === startMs; );
}

async function build(isImage = false): Promise<string> {
  untilFileClockAdvances();
  await buildBundle({ root, isImage });
  const entry = bundleEntry(root);
  expect(entry).toBeDefined();
  return entry as string;
}

/** @param between runs between the load of the program and its run */
function runEntry(entry: string, between = ''): string {
  put('run.mjs', `const { run } = await import(${JSON.stringify(pathToFileURL(entry).href)}); ${between} await run();`);
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
  for (const path of [...paths, 'node_modules/.package-lock.json', 'tsconfig.json']) {
    put(path, `${readFileSync(join(root, path), 'utf8')}\n`);
    expect(bundleEntry(root)).toBeUndefined();
    await build();
  }
  rmSync(join(root, 'apps/node/src/part.ts'));
  expect(bundleEntry(root)).toBeUndefined();
});

it('a change of the same size makes a bundle stale, even if the file has its old time of modification again', async () => {
  const file = join(root, 'apps/node/src/part.ts');
  utimesSync(file, 1_000, 1_000);
  await build();
  put('apps/node/src/part.ts', part.replace('out of', 'not in'));
  utimesSync(file, 1_000, 1_000);
  expect(bundleEntry(root)).toBeUndefined();
});

it('a change of a package outside of the repository, to which node_modules links, makes a bundle stale', async () => {
  const outside = `${basename(root)}-outside`;
  try {
    put(`../${outside}/package.json`, '{ "type": "module", "exports": "./src/index.ts" }');
    put(`../${outside}/src/index.ts`, "export const text = 'from outside';");
    symlinkSync(join(root, '..', outside), join(root, 'node_modules/@slipstream/outside'));
    put(
      'apps/node/src/cli/program.ts',
      "import { text } from '@slipstream/outside'; export const run = () => console.log(text);",
    );
    expect(runEntry(await build())).toContain('from outside');
    put(`../${outside}/src/index.ts`, "export const text = 'and changed';");
    expect(bundleEntry(root)).toBeUndefined();
  } finally {
    rmSync(join(root, '..', outside), { recursive: true, force: true });
  }
});

it('a source that changes during the build leaves the previous bundle in use', async () => {
  const first = await build();
  const building = buildBundle({ root, isImage: false });
  put('apps/node/src/part.ts', part);
  await expect(building).rejects.toThrow('apps/node/src/part.ts changed');
  expect(bundleEntry(root)).toBeUndefined();
  expect(existsSync(first)).toBe(true);
});

it('a build leaves the previous bundle to the processes that run it', async () => {
  const [first, second, third] = [await build(), await build(), await build()];
  expect(second).not.toBe(first);
  expect(third).toBe(first);
  expect(existsSync(second)).toBe(true);
});

it('a running node imports nothing later, when builds may have replaced its files: only commands import as they begin', async () => {
  const importers: string[] = [];
  const modules: string[] = [];
  const bundle = await rolldown({
    ...programOf(repository),
    plugins: [
      threads,
      {
        name: 'importers',
        moduleParsed({ id, dynamicallyImportedIds }) {
          modules.push(id);
          if (dynamicallyImportedIds.length > 0) importers.push(relative(repository, id).replaceAll(sep, '/'));
        },
      },
    ],
  });
  await bundle.generate();
  await bundle.close();
  expect(modules).toContain(join(repository, 'apps/node/src/executor/executor-thread.ts'));
  expect(importers).toContain('apps/node/src/cli/commands/node.ts');
  // Signing of browsers, and the SDK, which commands use.
  const ofCommands = ['apps/node/src/cli/', 'packages/crypto/src/browser/', 'packages/client/src/'];
  expect(importers.filter((path) => !ofCommands.some((folder) => path.startsWith(folder)))).toEqual([]);
});

it('a stack of a process whose bundle was replaced does not name sources by the map of another build', async () => {
  const entry = await build();
  const map = join(dirname(entry), 'part.mjs.map');
  expect(existsSync(map)).toBe(true);
  const replaces = `(await import('node:fs')).writeFileSync(${JSON.stringify(map)}, '{"version":3,"sources":["other.ts"],"mappings":"AAAA"}');`;
  const output = runEntry(entry, replaces);
  expect(output).toContain('RangeError: out of range');
  expect(output).toContain('part.mjs:');
  expect(output).not.toContain('other.ts');
});

it('a folder that cannot be written starts the program from its sources, and says so', async () => {
  put('node_modules/rolldown/package.json', '{}');
  put('.bootstrap', 'no folder');
  const said: string[] = [];
  expect(await ensureBundle({ root, say: (line) => said.push(line) })).toBe(0);
  expect(said.join()).toMatch(/^the program was not bundled \(EEXIST.*It runs from its sources\.$/);
});

it('the bundle of an image does not compare sources, whose times an image may change', async () => {
  const entry = await build(true);
  put('apps/node/src/part.ts', part);
  expect(bundleEntry(root)).toBe(entry);
});

it('a bundle without a complete record is not used', async () => {
  expect(bundleEntry(root)).toBeUndefined();
  await build();
  put('apps/node/dist/bundle.json', '{"entry":"a/pro');
  expect(bundleEntry(root)).toBeUndefined();
});

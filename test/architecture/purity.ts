/**
 * The sans-IO rule: a pure package gets time, randomness, disk, network and threads as ports, so that it runs under the simulator, in the
 * node, and in a browser. Checked are its files, and what the imports of an entry reach.
 */

import { packageName } from './import-table.ts';
import type { Manifest, SourceFile } from './repository.ts';
import { isCode } from './repository.ts';
import { readSyntax } from './syntax.ts';

export const purePackages = [
  'app',
  'broker',
  'consensus',
  'dissemination',
  'distilled',
  'execution',
  'pipeline',
  'state',
  'state-tree',
  'sync',
  'types',
  'ledger',
  'records',
  'chunk-files',
  'wal',
  'simulator',
  'ports',
];

/** Loaded by a browser: no Node module or native addon. */
export const browserEntries = [...purePackages, 'primitives', 'schema', 'crypto', 'crypto/browser', 'client'].map(
  (name) => `@slipstream/${name}`,
);

const nativeAddons = new Set(['@chainsafe/blst', '@chainsafe/hashtree', 'sodium-native', 'classic-level', 'zstd-napi']);

const forbiddenGlobals = new Set([
  ...['Date', 'performance', 'setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval'],
  ...[
    'queueMicrotask',
    'crypto',
    'fetch',
    'WebSocket',
    'XMLHttpRequest',
    'EventSource',
    'Worker',
    'localStorage',
    'indexedDB',
  ],
  ...['process', 'Buffer', 'require', 'globalThis', 'window', 'self', 'console', 'eval', 'Function'],
]);

const forbiddenMembers = new Set(['Math.random', 'Atomics.wait', 'Atomics.waitAsync']);

export function findImpurities(
  files: readonly SourceFile[],
  packages: readonly string[] = purePackages,
): readonly string[] {
  const folders = packages.map((name) => `packages/${name}/src/`);
  return files
    .filter((file) => isCode(file) && folders.some((folder) => file.path.startsWith(folder)))
    .flatMap((file) => {
      const { imports, globals } = readSyntax(file);
      const used = globals.filter(
        ({ name }) => forbiddenMembers.has(name) || forbiddenGlobals.has(name.split('.')[0] ?? ''),
      );
      return [
        ...used.map(({ name, line }) => `${file.path}:${line}: ${name} in a pure package: take a port`),
        ...imports
          .filter(({ specifier }) => specifier.startsWith('node:'))
          .map(({ specifier, line }) => `${file.path}:${line}: ${specifier} in a pure package: take a port`),
      ];
    });
}

/**
 * @param entry what is imported, such as "@slipstream/client"
 * @returns one line for each chain of imports from the entry to a Node module or a native addon
 */
export function findNativeReach(
  entry: string,
  files: readonly SourceFile[],
  manifests: readonly Manifest[],
): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const start = resolveInWorkspace(entry, '', manifests);
  const waiting = start === undefined ? [] : [{ path: start, chain: [entry] }];
  const seen = new Set(waiting.map(({ path }) => path));
  const found: string[] = [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const file = byPath.get(next.path);
    if (file === undefined) continue;
    const chain = [...next.chain, file.path];
    for (const { specifier, typeOnly } of readSyntax(file).imports) {
      if (typeOnly) continue;
      if (specifier.startsWith('node:') || nativeAddons.has(packageName(specifier)))
        found.push([...chain, specifier].join(' -> '));
      const path = resolveInWorkspace(specifier, file.path, manifests);
      if (path === undefined || seen.has(path)) continue;
      seen.add(path);
      waiting.push({ path, chain });
    }
  }
  return found;
}

/** As a browser build resolves it; undefined outside the workspace. */
function resolveInWorkspace(specifier: string, from: string, manifests: readonly Manifest[]): string | undefined {
  if (specifier.startsWith('.')) return new URL(specifier, `file:///${from}`).pathname.slice(1);
  if (specifier.startsWith('#')) {
    const own = manifests.find(({ folder }) => folder !== '' && from.startsWith(`${folder}/`));
    const target = own?.imports[specifier];
    return target === undefined ? undefined : join(own?.folder, target.browser ?? target.default);
  }
  const name = packageName(specifier);
  const provider = manifests.find((manifest) => manifest.name === name);
  return join(provider?.folder, provider?.exports[`.${specifier.slice(name.length)}`]);
}

function join(folder: string | undefined, path: string | undefined): string | undefined {
  return folder === undefined || path === undefined ? undefined : `${folder}/${path.replace(/^\.\//, '')}`;
}

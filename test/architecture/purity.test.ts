import { describe, expect, it } from 'vitest';
import { browserEntries, findImpurities, findNativeReach } from './purity.ts';
import { parseManifest, readManifests, readRepository } from './repository.ts';

const files = readRepository();
const manifests = readManifests(files);

describe('the pure packages', () => {
  it('use no clock, chance, disk, network or thread', () => {
    expect(findImpurities(files)).toEqual([]);
  });

  it.each(browserEntries)('loading %s loads no Node module and no native addon', (entry) => {
    expect(findNativeReach(entry, files, manifests)).toEqual([]);
  });
});

describe('the checker of purity', () => {
  const impure = (text: string): readonly string[] => findImpurities([{ path: 'packages/consensus/src/a.ts', text }]);

  it.each([
    ['const a = Date.now();', 'Date.now'],
    ['const a = new Date();', 'Date'],
    ['const a = Math.random();', 'Math.random'],
    ["const a = Math['random']();", 'Math.random'],
    ['setTimeout(() => {}, 1);', 'setTimeout'],
    ['setInterval(() => {}, 1);', 'setInterval'],
    ['const a = { setTimeout };', 'setTimeout'],
    ['const a = performance.now();', 'performance.now'],
    ['const a = crypto.getRandomValues(b);', 'crypto.getRandomValues'],
    ['const a = globalThis.Date;', 'globalThis.Date'],
    ['const a = process.env;', 'process.env'],
    ["import { open } from 'node:fs/promises';", 'node:fs/promises'],
    ["import { connect } from 'node:net';", 'node:net'],
    ["import { Worker } from 'node:worker_threads';", 'node:worker_threads'],
    ["import { createHash } from 'node:crypto';", 'node:crypto'],
    ["const a = await import('node:fs');", 'node:fs'],
  ])('finds the impure access in: %s', (line, name) => {
    expect(impure(`\n${line}\n`)).toEqual([`packages/consensus/src/a.ts:2: ${name} in a pure package: take a port`]);
  });

  it('ignores comments, strings, members and names of the module itself', () => {
    const text = `
      // Date.now() and setTimeout are for drivers
      /* Math.random */
      const a = 'Date.now()' + \`setInterval\`;
      const b = { Date: 1, setTimeout: 2 };
      export const c = (clock: { performance(): number }) => clock.performance() + b.Date;
      export function d({ fetch }: { fetch: () => void }, process: (n: number) => void) { fetch(); process(1); }
      export const e = Math.max(1, 2) + a.length;
    `;
    expect(impure(text)).toEqual([]);
  });

  it('ignores packages that may be impure', () => {
    expect(findImpurities([{ path: 'packages/network/src/a.ts', text: 'Date.now();' }])).toEqual([]);
  });
});

describe('the checker of the modules that an entry loads', () => {
  const packages = [
    parseManifest('packages/a/package.json', '{ "name": "@slipstream/a", "exports": { ".": "./src/index.ts" } }'),
    parseManifest(
      'packages/b/package.json',
      '{ "name": "@slipstream/b", "exports": { ".": "./src/index.ts", "./native": "./src/native.ts" },' +
        ' "imports": { "#hash": { "browser": "./src/hash-browser.ts", "default": "./src/hash-node.ts" } } }',
    ),
  ];
  const reach = (inB: string): readonly string[] =>
    findNativeReach(
      '@slipstream/a',
      [
        { path: 'packages/a/src/index.ts', text: "export * from './inner.ts';" },
        { path: 'packages/a/src/inner.ts', text: "import '@slipstream/b';" },
        { path: 'packages/b/src/index.ts', text: inB },
        { path: 'packages/b/src/native.ts', text: "import 'sodium-native';" },
        { path: 'packages/b/src/hash-browser.ts', text: 'export {};' },
        { path: 'packages/b/src/hash-node.ts', text: "import 'node:crypto';" },
      ],
      packages,
    );

  it('follows imports across files and packages to an addon', () => {
    const path = '@slipstream/a -> packages/a/src/index.ts -> packages/a/src/inner.ts -> packages/b/src/index.ts';
    expect(reach("import './native.ts';")).toEqual([`${path} -> packages/b/src/native.ts -> sodium-native`]);
    expect(reach("import '@slipstream/b/native';")).toHaveLength(1);
    expect(reach("import 'node:fs';")).toEqual([`${path} -> node:fs`]);
    expect(reach("import '@chainsafe/blst';")).toHaveLength(1);
  });

  it('follows the browser side of an imports map, and no types', () => {
    expect(reach("import '#hash'; import type { A } from './native.ts';")).toEqual([]);
  });
});

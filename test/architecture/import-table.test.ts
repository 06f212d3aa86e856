import { describe, expect, it } from 'vitest';
import { findWrongArrows, importTable } from './import-table.ts';
import { parseManifest, readManifests, readRepository, type SourceFile } from './repository.ts';

const files = readRepository();
const manifests = readManifests(files);

const verdictOn = (path: string, text: string): string => findWrongArrows([{ path, text }], manifests).join('\n');

describe('the import table', () => {
  it('has every import of packages, apps and console', () => {
    expect(findWrongArrows(files, manifests)).toEqual([]);
  });

  it('has exactly one row for each package', () => {
    const folders = manifests.map(({ folder }) => folder).filter((folder) => folder !== '' && folder !== 'apps/node');
    expect(Object.keys(importTable).sort()).toEqual(folders.sort());
  });

  it('has no cycle', () => {
    const settled = new Set<string>();
    const follow = (name: string, above: readonly string[]): void => {
      expect(above, `cycle through ${name}`).not.toContain(name);
      if (settled.has(name)) return;
      for (const below of importTable[`packages/${name}`] ?? []) follow(below.split('/')[0] ?? '', [...above, name]);
      settled.add(name);
    };
    for (const folder of Object.keys(importTable)) follow(folder.replace('packages/', ''), []);
  });
});

describe('the checker of the import table', () => {
  const forms = [
    "import { a } from '@slipstream/consensus';",
    "import type { A } from '@slipstream/consensus';",
    "import '@slipstream/consensus';",
    "export { a } from '@slipstream/consensus';",
    "export * from '@slipstream/consensus';",
    "const a = await import('@slipstream/consensus');",
    "let a: import('@slipstream/consensus').A;",
    "const a = require('@slipstream/consensus');",
  ];

  it.each(forms)('finds the import against the table in: %s', (form) => {
    expect(verdictOn('packages/wal/src/a.ts', `// one\n${form}\n`)).toBe(
      'packages/wal/src/a.ts:2: packages/wal -> @slipstream/consensus: is not in the import table',
    );
  });

  it('ignores imports in comments and strings', () => {
    const text = "// import '@slipstream/consensus';\nconst a = \"import '@slipstream/consensus'\";\n";
    expect(verdictOn('packages/wal/src/a.ts', text)).toBe('');
  });

  it('accepts an import of the table, and primitives', () => {
    expect(verdictOn('packages/wal/src/a.ts', "import '@slipstream/ports';\nimport '@slipstream/primitives';\n")).toBe(
      '',
    );
  });

  it.each([
    ['packages/consensus/src/a.ts', '@slipstream/crypto/native', 'is not in the import table'],
    ['packages/client/src/a.ts', '@slipstream/crypto', 'is not in the import table'],
    ['console/src/a.tsx', '@slipstream/primitives', 'is not in the import table'],
    ['apps/node/src/a.ts', '@slipstream/devnet', 'is for development'],
    ['apps/node/src/cli/commands/a.ts', '@slipstream/app-build', 'is for development'],
    ['apps/node/src/cli/app/a.ts', '@slipstream/devnet', 'is for development'],
    ['packages/network/src/a.ts', '@slipstream/devnet', 'is not in the import table'],
    ['packages/wal/src/a.ts', '@slipstream/nowhere', 'there is no such package'],
    ['packages/wal/src/a.ts', '@slipstream/ports/src/clock.ts', 'is not in the exports of its package.json'],
    ['packages/wal/src/a.ts', '@slipstream/wal', 'a package imports its own files by path'],
    ['packages/wal/src/a.ts', '../../ports/src/index.ts', 'leaves its package'],
    ['packages/wal/src/a.ts', 'fastify', 'fastify is not a dependency in packages/wal/package.json'],
    [
      'packages/network/src/a.ts',
      '@libp2p/mplex',
      '@libp2p/mplex is not a dependency in packages/network/package.json',
    ],
    ['packages/wal/src/a.ts', 'fs', 'write node:fs'],
    ['packages/wal/src/a.ts', '#sha256', 'is not in the imports of its package.json'],
  ])('refuses in %s the import of %s', (path, specifier, reason) => {
    expect(verdictOn(path, `import '${specifier}';`)).toContain(`-> ${specifier}: ${reason}`);
  });

  it('refuses an import whose module is computed', () => {
    expect(verdictOn('packages/wal/src/a.ts', 'const a = await import(name);')).toContain(
      'must name its module literally',
    );
  });

  it('refuses a dependency of package.json that is not in the table', () => {
    const text = '{ "name": "@slipstream/wal", "dependencies": { "@slipstream/consensus": "0.1.0" } }';
    expect(findWrongArrows([], [parseManifest('packages/wal/package.json', text)])).toEqual([
      'packages/wal/package.json: packages/wal -> consensus is not in the import table',
    ]);
  });

  it('refuses a package without a row', () => {
    const manifest = parseManifest('packages/new/package.json', '{ "name": "@slipstream/new" }');
    const none: readonly SourceFile[] = [];
    expect(findWrongArrows(none, [manifest])).toEqual([
      'packages/new is not in the import table: give it a row and a reason',
    ]);
  });
});

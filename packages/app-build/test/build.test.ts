import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { describe, expect, it } from 'vitest';
import { BuildError, buildApplication } from '../src/index.ts';
import { fileWith, folderWith } from './sources.ts';

const TOKEN = new URL('../../../docs/integrators/examples/applications/token.ts', import.meta.url).pathname;

async function errorOf(work: Promise<unknown>): Promise<BuildError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof BuildError) return error;
  throw new Error(`expected a BuildError, got ${error}`);
}

/** An application whose tables are these, in this order. */
const withTables = (...tables: readonly string[]): string =>
  `import { application, table, u32 } from '@slipstream/app';
${tables.map((name) => `const ${name} = table(u32, u32);`).join('\n')}
export default application({ name: 'app', version: 1, state: { ${tables.join(', ')} }, actions: {} });
`;

describe('an artifact', () => {
  it('has script and manifest, and loads', async () => {
    const { artifact, hash, manifest, script } = await buildApplication(TOKEN);
    expect(hash).toEqual(artifactHash(artifact));
    const decoded = decodeArtifact(artifact);
    expect(decoded).toEqual({ ok: true, value: { manifest, script } });
    expect(decoded.ok && loadProgram(decoded.value).manifest).toEqual(manifest);
    expect(manifest.actions.map(({ name, number }) => [name, number])).toEqual([
      ['transfer', 0],
      ['approve', 1],
      ['transferFrom', 2],
    ]);
  });

  it('is the same from another folder, without a lock file, and again with the one that it wrote', async () => {
    const folder = await folderWith({
      'package.json': '{ "type": "commonjs" }',
      'tsconfig.json': '{ "compilerOptions": {} }',
    });
    const copy = join(folder, 'token.ts');
    await copyFile(TOKEN, copy);
    const { artifact, hash } = await buildApplication(TOKEN);
    expect((await buildApplication(copy)).hash).toEqual(hash);
    expect((await buildApplication(copy, { isLockFrozen: true })).hash).toEqual(hash);
    expect(Buffer.from(artifact).includes(folder)).toBe(false);
  });

  it('has no paths, no comments and no types', async () => {
    const { script } = await buildApplication(TOKEN);
    for (const trace of ['region', '//', '/*', 'node_modules', 'packages', 'token.ts', ': bigint', 'import'])
      expect(script, trace).not.toContain(trace);
  });

  it('is of all modules of the application', async () => {
    const other =
      "import { fail } from '@slipstream/app';\nexport const check = (n: number) => { if (n > 5) fail('over'); };\n";
    const file = await fileWith("import { check } from './other.ts'; check(3);", {
      'other.ts': other,
    });
    const { script, sources } = await buildApplication(file);
    expect(sources.map((path) => path.slice(path.lastIndexOf('/') + 1))).toEqual(['app.ts', 'other.ts']);
    expect(script).toContain("'over'".replaceAll("'", '"'));
  });

  it('changes with its sources', async () => {
    const one = await buildApplication(await fileWith('export const a = () => 1;'));
    const other = await buildApplication(await fileWith("import { fail } from '@slipstream/app'; fail;"));
    expect(one.hash).not.toEqual((await buildApplication(TOKEN)).hash);
    expect(other.manifest).toEqual(one.manifest);
  });
});

describe('numbers', () => {
  it('stay when tables are added, moved and removed; those of removed ones are not given again', async () => {
    const folder = await folderWith({ 'app.ts': withTables('a', 'b') });
    const file = join(folder, 'app.ts');
    const first = await buildApplication(file);
    expect(first.lockFile).toBe(join(folder, 'app.lock.json'));
    expect(first.lock.tables).toEqual({ a: 0, b: 1 });
    await writeFile(file, withTables('c', 'b'));
    const second = await buildApplication(file);
    expect(second.manifest.tables.map(({ name, number }) => [name, number])).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
    expect(second.lock.tables).toEqual({ a: 0, b: 1, c: 2 });
    await writeFile(file, withTables('d', 'a', 'b'));
    expect((await buildApplication(file)).lock.tables).toEqual({ a: 0, b: 1, c: 2, d: 3 });
  });

  it('are written once, and only when they are new', async () => {
    const file = join(await folderWith({ 'app.ts': withTables('a') }), 'app.ts');
    const { lockFile } = await buildApplication(file);
    const text = await readFile(lockFile, 'utf8');
    await buildApplication(file, { isLockFrozen: true });
    expect(await readFile(lockFile, 'utf8')).toBe(text);
    await writeFile(file, withTables('a', 'b'));
    expect((await errorOf(buildApplication(file, { isLockFrozen: true }))).code).toBe('lock-outdated');
    expect(await readFile(lockFile, 'utf8')).toBe(text);
  });

  it('are refused where the lock file was edited', async () => {
    const file = join(await folderWith({ 'app.ts': withTables('a', 'b') }), 'app.ts');
    const { lockFile } = await buildApplication(file);
    const text = await readFile(lockFile, 'utf8');
    await writeFile(lockFile, text.replace('"b": 1', '"b": 2'));
    expect((await errorOf(buildApplication(file))).code).toBe('lock-edited');
    await writeFile(lockFile, 'merge conflict');
    expect((await errorOf(buildApplication(file))).code).toBe('lock-malformed');
  });
});

describe('the build fails', () => {
  it.each([
    ['no-application', 'export const a = 1;\n'],
    ['definition-failed', 'export default 5;\n'],
    [
      'definition-failed',
      "import { application } from '@slipstream/app';\nexport default application({ name: '7up', version: 1, state: {}, actions: {} });",
    ],
    [
      'definition-failed',
      "import { application } from '@slipstream/app';\nexport default application({ name: 'app', version: 0, state: {}, actions: {} });",
    ],
    [
      'definition-failed',
      "import { application } from '@slipstream/app';\nfor (;;) {}\nexport default application({ name: 'app', version: 1, state: {}, actions: {} });",
    ],
    ['bundle-failed', "import { missing } from '@slipstream/app';\nexport default missing;"],
    ['bundle-failed', "import { a } from './missing.ts';\nexport default a;"],
    [
      'compute-too-high',
      "import { action, application } from '@slipstream/app';\nconst run = action({}, { units: { compute: 977, reads: 0, writes: 0, bytes: 0 }, run() {} });\nexport default application({ name: 'app', version: 1, state: {}, actions: { run } });",
    ],
  ])('with %s: %s', async (code, source) => {
    const error = await errorOf(buildApplication(join(await folderWith({ 'app.ts': source }), 'app.ts')));
    expect(error.code, error.message).toBe(code);
    expect(error.message).toMatch(/^(app\.ts|app): |^app\.ts:1: /);
  });

  it('without a file', async () => {
    expect((await errorOf(buildApplication(join(await folderWith({}), 'app.ts')))).code).toBe('source-missing');
  });

  it('above a MiB', async () => {
    const file = await fileWith(`export const text = '${'a'.repeat(2 ** 20)}'; export const used = [text];`);
    expect((await errorOf(buildApplication(file))).code).toBe('artifact-too-large');
  });

  it('and writes no lock file', async () => {
    const folder = await folderWith({ 'app.ts': 'export default 5;\n' });
    await errorOf(buildApplication(join(folder, 'app.ts')));
    await expect(readFile(join(folder, 'app.lock.json'))).rejects.toThrow(/ENOENT/);
  });
});

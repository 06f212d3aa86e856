import { mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let source: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-app-'));
  const made = await run('app new seats');
  expect(made.code, made.err).toBe(0);
  source = await read('seats/seats.ts');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two simulations of four nodes, in processes of their own: some seconds each on a machine that does nothing else. */
const SIMULATED_MS_MAX = 300_000;

const read = (path: string) => readFile(join(folder, path), 'utf8');
const write = (path: string, text: string) => writeFile(join(folder, path), text);

async function run(line: string) {
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

test('app new writes an application of this name, with a test that imports it, and links the kits', async () => {
  expect(source).toContain("name: 'seats'");
  expect(await read('seats/seats.test.ts')).toContain("from './seats.ts'");
  expect(JSON.parse(await read('seats/package.json'))).toMatchObject({
    name: 'seats',
    main: 'seats.ts',
    type: 'module',
  });
  expect(await readlink(join(folder, 'seats/node_modules/@slipstream/app-test'))).toMatch(/packages\/app-test$/);
  const { code, out } = await run('app check seats');
  expect([code, out]).toEqual([0, 'seats, version 1: 4 tables, 2 actions, 2 events, 2 queries. Nothing is forbidden.']);
});

test('app new refuses a folder that exists, and leaves it as it is', async () => {
  const { code, err } = await run('app new seats');
  expect(code).toBe(1);
  expect(err).toMatch(/seats exists already: choose another name/);
  expect(await read('seats/seats.ts')).toBe(source);
});

test.for(['7up', 'Seats', '../seats', `a${'b'.repeat(32)}`, 'a.b'])('app new refuses the name %s', async (name) => {
  const { code, err } = await run(`app new ${name}`);
  expect(code).toBe(2);
  expect(err).toContain(`NAME "${name}" must be a letter of a-z, then up to 31 of a-z, 0-9 and "-"`);
});

test('app check prints each forbidden thing with its line and what to write instead, and writes nothing', async () => {
  await write('seats/worse.ts', `${source}const now = Date.now();\nlet total = 0.5;\nexport { now, total };\n`);
  const line = source.split('\n').length;
  const { code, out } = await run('app check seats/worse.ts');
  expect(code).toBe(1);
  expect(out.split('\n')).toEqual([
    `seats/worse.ts:${line}: Date is not allowed; an action's time is its context's timeMs`,
    expect.stringContaining(`seats/worse.ts:${line + 1}: `),
    expect.stringContaining(`seats/worse.ts:${line + 1}: `),
  ]);
  const json = JSON.parse((await run('app check seats/worse.ts --json')).out);
  expect(json).toMatchObject({ ok: false, findings: [{ file: 'seats/worse.ts', line, rule: 'date' }, {}, {}] });
  await expect(read('seats/worse.lock.json')).rejects.toThrow(/ENOENT/);
});

test('app build writes artifact, manifest and lock file, prints the hash, and refuses a lock file that was edited', async () => {
  expect((await run('app build seats --frozen-lock')).err).toMatch(/lacks names of the application/);
  const { code, out } = await run('app build seats');
  expect([code, out]).toEqual([0, expect.stringMatching(/^seats, version 1: 0x[0-9a-f]{64}, \d+ bytes\n/)]);
  const hash = /0x[0-9a-f]{64}/.exec(out)?.[0];
  const again = JSON.parse((await run('app build seats --frozen-lock --out elsewhere --json')).out);
  expect(again).toMatchObject({ hash, files: { artifact: join(folder, 'elsewhere/seats.artifact') } });
  expect(JSON.parse(await read('seats/build/seats.manifest.json'))).toMatchObject({ name: 'seats', version: 1 });
  expect((await readFile(join(folder, 'seats/build/seats.artifact'))).length).toBe(again.bytes);
  const lock = await read('seats/seats.lock.json');
  await write('seats/seats.lock.json', lock.replace('"shows": 0', '"shows": 9'));
  for (const command of ['build', 'check']) {
    const refused = await run(`app ${command} seats`);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('seats.lock.json: was edited after its last build; restore it from version control');
  }
  await write('seats/seats.lock.json', lock);
});

test('app sim plays random actions, and names the seed of a broken invariant', async () => {
  const { code, out } = await run('app sim seats --seeds 2 --actions 50');
  expect(code).toBe(0);
  expect(out).toMatch(/^100 actions, \d+ crashes: both realms gave the same, and every invariant held\.\n {2}open: /);
  await write(
    'seats/oversold.ts',
    source.replace("fail('sold-out')", 'Taken.emit({ show: input.show, holder: sender, seats: 0 })'),
  );
  const broken = await run('app sim seats/oversold.ts');
  expect(broken.code).toBe(1);
  expect(broken.err).toMatch(/seed \d+, action \d+, take of 0x.* with \{"show":.*\}: /);
  expect(broken.err).toMatch(/noSeatIsTakenTwice does not hold|application-fault/);
});

test(
  'app sim --nodes plays them on simulated nodes, and names the seed of a broken invariant',
  async () => {
    const { code, out } = await run('app sim seats --nodes 4 --seeds 1 --json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { scenarios: 1, seeds: 1, failures: 0 }]);
    await write('seats/never.ts', source.replace('invariants: { ', 'invariants: { never: () => false, '));
    const broken = await run('app sim seats/never.ts --nodes 4 --seeds 1 --json');
    expect(broken.code).toBe(1);
    expect(JSON.parse(broken.out).failed).toMatchObject([
      { seed: 1, failure: expect.stringContaining('the invariant never of seats does not hold') },
    ]);
  },
  SIMULATED_MS_MAX,
);

test.for([
  ['app check nowhere', 'nowhere: there is nothing'],
  ['app build .', 'no package.json with the application as "main"'],
  ['app test nowhere', 'nowhere: there is nothing'],
  ['app sim seats --genesis seats/seats.ts', 'is no JSON'],
])('a path without an application, or a file of another kind, is refused: %s', async ([line, said]) => {
  const { code, err } = await run(line as string);
  expect(code).toBeGreaterThan(0);
  expect(err).toContain(said);
});

/** `.ci/run` alone: npm is a stub that plays, for each script, what the test wrote for it. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const original = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8');

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ci-'));
  putProgram('.ci/run', original);
  // "npm run -s NAME", and "npm run -s sim -- --mutations" as "mutations".
  putProgram(
    'bin/npm',
    `#!/bin/sh
    name=$3
    case "$*" in *--mutations*) name=mutations ;; esac
    for each in "$@"; do case "$each" in --outputFile.json=*) report=\${each#*=} ;; esac; done
    echo "$name" >>'${root}/order'
    [ -z "$report" ] || echo '{"numPassedTests": 10, "numFailedTests": 0, "testResults": []}' >"$report"
    [ ! -f '${root}/scripts/'"$name".sh ] || . '${root}/scripts/'"$name".sh`,
  );
  for (const program of ['apt-get', 'chromium', 'make', 'g++', 'python3']) putProgram(`bin/${program}`, '#!/bin/sh\n');
  // At idle priority every step would wait for the tests of other files.
  putProgram('bin/setsid', '#!/bin/sh\nshift 4\nexec "$@"\n');
  for (const path of ['scripts/sim.ts', 'scripts/bench.ts', 'test/browser/a.test.ts', 'test/e2e/a.test.ts'])
    putProgram(path, '');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function putProgram(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  chmodSync(join(root, path), 0o755);
}

/** What the script does in the stub's shell; `$report` is the file of a run of tests. */
function scriptDoes(name: string, commands: string): void {
  putProgram(`scripts/${name}.sh`, commands);
}

function start() {
  const path = [join(root, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(join(root, '.ci/run'), {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += String(bytes);
  });
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, ended };
}

function lastLine(output: string): string | undefined {
  return output.trimEnd().split('\n').at(-1);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** False for a process that only waits to be collected. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The processes whose ids are in the file. */
async function untilEnded(file: string): Promise<void> {
  await until(() => !read(file).split(' ').some(isRunning));
}

function read(name: string): string {
  return readFileSync(join(root, name), 'utf8').trim();
}

/** The step's parent is `timeout`, whose clock sends it this signal. It has to wait for the step already. */
const TIME_IS_OVER =
  'until grep -q "^State:.*sleeping" "/proc/$PPID/status"; do sleep 0.05; done; kill -s ALRM "$PPID"';

it('counts each test, and each other step once', async () => {
  const { code, output } = await start().ended;
  expect(lastLine(output)).toBe('38 passed, 0 failed');
  expect(code).toBe(0);
  const tests = ['test', 'test:browser', 'test:e2e'];
  const others = ['bench', 'bench', 'check:deploy', 'lint', 'mutations', 'setup', 'sim', 'typecheck'];
  expect(read('order').split('\n').sort()).toEqual([...others, ...tests].sort());
});

it('plays steps that only compute beside the tests, where they take what is free', async () => {
  rmSync(join(root, 'bin/setsid'));
  scriptDoes('test', 'while [ ! -e stat ]; do sleep 0.02; done');
  scriptDoes('typecheck', 'cat /proc/self/stat >stat; exit 1');
  // One step is enough.
  putProgram('.ci/run', original.replace(/^.*beside (?!typecheck)[a-z-]+ \d.*$/gm, ''));
  expect(lastLine((await start().ended).output)).toBe('32 passed, 1 failed');
  const fields = read('stat')
    .replace(/^.*\) /, '')
    .split(' ');
  const [niceness, policy] = [fields[16], fields[38]];
  const SCHED_IDLE = '5';
  expect(policy === SCHED_IDLE || niceness === '19').toBe(true);
});

it.runIf(process.getuid?.() === 0)(
  'raises the priority of what still runs beside others after the last of them',
  async () => {
    rmSync(join(root, 'bin/setsid'));
    // Fields 19 and 41: niceness, policy (5: idle).
    const priority = `$(sed 's/.*) //' "/proc/$$/stat" | cut -d ' ' -f 17,39)`;
    scriptDoes('bench', 'nice >own; while [ ! -e begun ]; do sleep 0.02; done');
    scriptDoes('typecheck', `echo "${priority}" >begun; until [ "${priority}" = "$(cat own) 0" ]; do sleep 0.02; done`);
    const kept = /beside (?!typecheck)[a-z-]+ \d.*$/gm;
    putProgram('.ci/run', original.replace(kept, 'true'));
    expect(lastLine((await start().ended).output)).toBe('33 passed, 0 failed');
    expect(read('begun')).not.toBe(`${read('own')} 0`);
  },
);

it('counts and prints the failure of a step beside others, and goes on', async () => {
  scriptDoes('typecheck', 'echo "error TS2322"; exit 2');
  const { code, output } = await start().ended;
  expect(output).toMatch(/== typecheck, beside others\nerror TS2322\n== typecheck: FAILED \(exit code 2\)/);
  expect(lastLine(output)).toBe('37 passed, 1 failed');
  expect(code).toBe(1);
});

it('ends a run of tests with its whole process group when its time is over', async () => {
  scriptDoes('test:e2e', `rm "$report"; sleep 1000 & echo "$$ $!" >pids; ${TIME_IS_OVER}; wait`);
  const { output } = await start().ended;
  expect(output).toContain('== test-e2e: 0 passed, 1 failed (exit code 124)');
  expect(lastLine(output)).toBe('28 passed, 1 failed');
  await untilEnded('pids');
});

it('counts a failed test of a step', async () => {
  scriptDoes('test:e2e', `echo '{"numPassedTests": 9, "numFailedTests": 1, "testResults": []}' >"$report"; exit 1`);
  expect(lastLine((await start().ended).output)).toBe('37 passed, 1 failed');
});

it('ends a step beside others with its whole process group when its time is over', async () => {
  scriptDoes('lint', `sleep 1000 & echo "$$ $!" >pids; ${TIME_IS_OVER}; wait`);
  const { output } = await start().ended;
  expect(output).toContain('== lint: FAILED (ran out of its time');
  expect(lastLine(output)).toBe('37 passed, 1 failed');
  await untilEnded('pids');
});

it('counts what no longer ran as failed when the time of the whole run is over', async () => {
  putProgram('.ci/run', original.replace('\nstart_lane\n', '\nSECONDS=$seconds_max\nstart_lane\n'));
  const { code, output } = await start().ended;
  expect(output).toContain('== bench-real-time: FAILED (ran out of its time');
  expect(output).toContain('== mutations: FAILED (ran out of its time');
  expect(lastLine(output)).toBe('1 passed, 10 failed');
  expect(code).toBe(1);
});

it('counts the steps beside others as failed when the process that plays them is gone', async () => {
  // The parent of `timeout`, whose child the step is.
  scriptDoes('lint', `kill -9 "$(cut -d ' ' -f 4 "/proc/$PPID/stat")"`);
  const { code, output } = await start().ended;
  expect(output).toContain('== lint: FAILED (exit code 125)');
  expect(lastLine(output)).toBe('33 passed, 5 failed');
  expect(code).toBe(1);
});

it('ends all steps when it is interrupted', async () => {
  scriptDoes('lint', 'sleep 1000 & echo "$$ $!" >pids; wait');
  scriptDoes('test', 'echo $$ >testing; exec sleep 1000');
  const { child, ended } = start();
  await until(() => ['pids', 'testing'].every((name) => existsSync(join(root, name)) && read(name) !== ''));
  child.kill('SIGTERM');
  await ended;
  await untilEnded('testing');
  await untilEnded('pids');
  expect(read('order')).not.toContain('mutations');
});

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consoleState } from '../../scripts/bootstrap/console-build.mjs';
import { installState } from '../../scripts/bootstrap/install.mjs';
import { explainFailure } from '../../scripts/bootstrap/install-failure.mjs';
import { installsCompletely } from '../../scripts/bootstrap/installer-node.mjs';
import { withLock } from '../../scripts/bootstrap/lock.mjs';

const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: unknown): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const lockFile = {
  packages: {
    '': { name: 'x' },
    'packages/a': { version: '0.1.0' },
    'node_modules/a': { resolved: 'packages/a', link: true },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/for-another-system': { version: '1.0.0', optional: true },
  },
};

function putInstalled(packages: object): void {
  put('node_modules/.package-lock.json', { packages });
  put('node_modules/node/bin/node', '');
}

describe('the state of an installation', () => {
  const complete = { 'node_modules/a': { link: true }, 'node_modules/b': { version: '1.0.0' } };
  beforeEach(() => put('package-lock.json', lockFile));

  it('is missing on a fresh clone', () => {
    expect(installState(root)).toBe('missing');
  });

  it('is missing after an interrupted install, which leaves no record', () => {
    put('node_modules/b/package.json', {});
    expect(installState(root)).toBe('missing');
  });

  it('is missing without the pinned Node', () => {
    put('node_modules/.package-lock.json', { packages: complete });
    expect(installState(root)).toBe('missing');
  });

  it('is ready when all packages that this system needs are there', () => {
    putInstalled(complete);
    expect(installState(root)).toBe('ready');
  });

  it('is stale when a version changed, a package is new, or a workspace is new', () => {
    putInstalled({ ...complete, 'node_modules/b': { version: '0.9.0' } });
    expect(installState(root)).toBe('stale');
    putInstalled({ 'node_modules/a': { link: true } });
    expect(installState(root)).toBe('stale');
    putInstalled({ 'node_modules/b': { version: '1.0.0' } });
    expect(installState(root)).toBe('stale');
  });

  it('gives the remedy when the lock file itself is damaged', () => {
    put('package-lock.json', '<<<<<<< HEAD');
    expect(() => installState(root)).toThrow('git checkout package-lock.json');
  });

  it('is ready in this repository', () => {
    expect(installState(repository)).toBe('ready');
  });
});

describe('the state of the console', () => {
  it('is absent without sources, stale without a build or with a newer source, and ready otherwise', () => {
    expect(consoleState(root)).toBe('absent');
    put('console/index.html', '');
    put('packages/client/src/index.ts', '');
    expect(consoleState(root)).toBe('stale');
    put('console/dist/index.html', '');
    const laterMs = Date.now() + 60_000;
    utimesSync(join(root, 'console/dist/index.html'), laterMs / 1000, laterMs / 1000);
    expect(consoleState(root)).toBe('ready');
    utimesSync(join(root, 'packages/client/src/index.ts'), laterMs / 1000 + 1, laterMs / 1000 + 1);
    expect(consoleState(root)).toBe('stale');
  });
});

describe('the Node that installs', () => {
  it.each(['18.20.8', '20.20.2', '21.7.3', '22.11.0'])(
    'is not %s, for which npm leaves out prebuilt addons',
    (version) => {
      expect(installsCompletely(version)).toBe(false);
    },
  );

  it.each(['22.12.0', '24.21.0', '26.0.0'])('may be %s', (version) => {
    expect(installsCompletely(version)).toBe(true);
  });
});

describe('the explanation of a failed install', () => {
  it.each([
    ['npm error gyp ERR! stack Error: not found: make\nnpm error network', 'apt-get install python3 make g++'],
    ['npm error gyp ERR! find Python You need to install Python', 'apt-get install python3 make g++'],
    ['npm error code ENOTFOUND\nnpm error network request failed', 'could not reach its registry'],
    ['npm error code ENOSPC', 'disk is full'],
    ['npm error code EACCES', 'may not be written'],
    ['npm error code EUSAGE', 'Run "npm install"'],
    ['something new', 'something new'],
  ])('of %j names the remedy', (output, remedy) => {
    expect(explainFailure(output)).toContain(remedy);
  });
});

describe('the lock between processes', () => {
  const say = (): void => undefined;

  it('runs one task after the other', async () => {
    const events: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      events.push(`${name} ends`);
    };
    await Promise.all([withLock({ root, name: 'x', say }, work('a')), withLock({ root, name: 'x', say }, work('b'))]);
    expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('is released when the task fails', async () => {
    const failing = withLock({ root, name: 'x', say }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await withLock({ root, name: 'x', say }, async () => 1)).toBe(1);
  });

  it('is taken over from an ended process that had the id of this one', async () => {
    put('.bootstrap/x/pid', String(process.pid));
    expect(await withLock({ root, name: 'x', say: () => {} }, async () => 'done')).toBe('done');
  });

  it('is taken over from a process that has ended', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    put('.bootstrap/x/pid', String(pid));
    expect(await withLock({ root, name: 'x', say }, async () => 1)).toBe(1);
  });
});

describe('a target', () => {
  /** A repository with the real bootstrap and Node, and one target. */
  function putTarget(source: string): string {
    put('package-lock.json', { packages: {} });
    for (const path of ['packages/checkout', 'scripts/bootstrap', 'scripts/bootstrap.mjs']) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(join(repository, path), join(root, path));
    }
    put('node_modules/.package-lock.json', { packages: {} });
    symlinkSync(join(repository, 'node_modules/node'), join(root, 'node_modules/node'));
    put('scripts/sim.ts', source);
    return join(root, 'scripts/bootstrap.mjs');
  }

  /** `--preserve-symlinks-main` keeps the script's path, and so its repository. */
  const bootstrap = (script: string, ...args: string[]) => [
    '--preserve-symlinks-main',
    '--preserve-symlinks',
    script,
    ...args,
  ];

  it('gets arguments and input, and returns output and exit code', () => {
    const script = putTarget(
      "process.stdin.on('data', (data) => console.log(process.argv.slice(2).join('|'), String(data)));" +
        "process.stdin.on('end', () => process.exit(7));",
    );
    const { status, stdout } = spawnSync(process.execPath, bootstrap(script, 'sim', '--seeds', 'a b'), { input: 'in' });
    expect({ status, stdout: String(stdout) }).toEqual({ status: 7, stdout: '--seeds|a b in\n' });
  });

  it('runs on the pinned Node', () => {
    const script = putTarget('const version: string = process.version; console.log(version);');
    const { stdout } = spawnSync(process.execPath, bootstrap(script, 'sim'));
    expect(String(stdout)).toMatch(/^v24\./);
  });

  it('gets signals, and may exit with its own code', async () => {
    const script = putTarget(
      "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1000); console.log('up');",
    );
    const child = spawn(process.execPath, bootstrap(script, 'sim'), { stdio: ['ignore', 'pipe', 'inherit'] });
    const code = await new Promise((resolve) => {
      child.stdout.once('data', () => child.kill('SIGTERM'));
      child.once('exit', resolve);
    });
    expect(code).toBe(5);
  });

  it('killed by a signal exits with 128 plus its number', () => {
    const script = putTarget("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);");
    expect(spawnSync(process.execPath, bootstrap(script, 'sim')).status).toBe(137);
  });

  it('that is unknown or not in this checkout prints the existing ones', () => {
    const script = putTarget('');
    const unknown = spawnSync(process.execPath, bootstrap(script, 'nothing'));
    expect([unknown.status, String(unknown.stderr)]).toEqual([2, expect.stringContaining('There are: node, devnet')]);
    const absent = spawnSync(process.execPath, bootstrap(script, 'bench'));
    expect([absent.status, String(absent.stderr)]).toEqual([2, expect.stringContaining('needs scripts/bench.ts')]);
  });
});

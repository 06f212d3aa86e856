/** Floor marks of formats (epochs.md E12), on the real disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA, HOME, loadConfig } from '@slipstream/node-home';
import { initChain } from '@slipstream/node-home/chain';
import { createRandom } from '@slipstream/platform';
import type { StagedState } from '@slipstream/sync/state-sync';
import { RULES_VERSION } from '@slipstream/types';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startNode } from '../../src/assembly/node.ts';
import { installStaged } from '../../src/assembly/state-sync.ts';
import { openFloorMark } from '../../src/storage/floor-mark.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'floor-mark-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Names, contents and times of all files. */
function contentOf(path: string): readonly (readonly [string, string, number])[] {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((name) => [name, readFileSync(name).toString('hex'), statSync(name).mtimeMs] as const);
}

describe('a floor mark', () => {
  it('begins at zero, is there for the next start, and never falls', () => {
    const mark = openFloorMark(folder, 3);
    expect(mark.version).toBe(0);
    mark.raise(2);
    mark.raise(1);
    expect([mark.version, openFloorMark(folder, 3).version]).toEqual([2, 2]);
  });

  it('makes a folder for itself when there is none yet', () => {
    openFloorMark(join(folder, 'data'), 1).raise(1);
    expect(openFloorMark(join(folder, 'data'), 1).version).toBe(1);
  });

  it('refuses a program that knows less: it names the version to install, and changes nothing (E12)', () => {
    openFloorMark(folder, 2).raise(2);
    const before = contentOf(folder);
    expect(() => openFloorMark(folder, 1)).toThrow(/version 2 of the rules.*install a program that knows version 2/);
    expect(contentOf(folder)).toEqual(before);
  });

  it('is raised to no version that the program does not know', () => {
    const mark = openFloorMark(folder, 1);
    expect(() => mark.raise(2)).toThrow(/install a program that knows version 2/);
    expect(openFloorMark(folder, 1).version).toBe(0);
  });

  it('that is damaged is refused, not taken for none', () => {
    openFloorMark(folder, 2).raise(2);
    const path = join(folder, DATA.floorMark);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version": 2', '"version": 1'));
    expect(() => openFloorMark(folder, 2)).toThrow(/is damaged/);
  });
});

describe('a state that is taken over (E12)', () => {
  const staged = (version: number, installed: () => void): StagedState => ({
    height: 7,
    version,
    install: async () => installed(),
  });

  it('raises the mark before it is installed', async () => {
    const mark = openFloorMark(folder, 2);
    let atInstall = 0;
    await installStaged(
      staged(2, () => {
        atInstall = openFloorMark(folder, 2).version;
      }),
      mark,
    );
    expect(atInstall).toBe(2);
  });

  it('is not installed when its rules are unknown', async () => {
    let isInstalled = false;
    const install = () => {
      isInstalled = true;
    };
    await expect(installStaged(staged(2, install), openFloorMark(folder, 1))).rejects.toMatchObject({
      code: 'version-unknown',
    });
    expect(isInstalled).toBe(false);
  });
});

/** The home of a validator on which no node ran, and what starts it. */
async function newNode() {
  await initChain(createRandom(), {
    out: folder,
    chain: 'floor',
    validators: 1,
    fullNodes: 0,
    development: true,
    host: '127.0.0.1',
    networkPort: 1,
    apiPort: 2,
    apiHost: '127.0.0.1',
    preset: 'local',
    fees: 'free',
    generatedAccounts: 0,
    timestampMs: 0,
  });
  const home = join(folder, 'validator-0');
  const path = join(home, HOME.config);
  const environment = { SLIPSTREAM_API_ENABLED: 'false' };
  const config = loadConfig({ file: { path, text: readFileSync(path, 'utf8') }, environment, flags: new Map() });
  const start = { home, config, logger: pino({ level: 'silent' }), losses: {} as never };
  return { home, start: () => startNode({ ...start, consoleFolder: undefined, openExport: undefined }) };
}

it('a node whose program knows less than what wrote in its folder does not start, and writes nothing there (E12)', async () => {
  const { home, start } = await newNode();
  openFloorMark(join(home, HOME.data), RULES_VERSION + 1).raise(RULES_VERSION + 1);
  const before = contentOf(home);
  await expect(start()).rejects.toMatchObject({ code: 'version-unknown' });
  expect(contentOf(home)).toEqual(before);
});

it('the mark of a new folder is there before its stores are opened (E12)', async () => {
  const { home, start } = await newNode();
  const data = join(home, HOME.data);
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, DATA.state), 'no folder, so that the state cannot be opened');
  await expect(start()).rejects.toThrow();
  expect(openFloorMark(data, RULES_VERSION).version).toBe(RULES_VERSION);
});

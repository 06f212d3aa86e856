/** A killed, stopped or failed node leaves a recording that replays and holds no secret. */
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { DATA, HOME, loadConfig } from '@slipstream/node-home';
import { loadIdentity } from '@slipstream/node-home/identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../apps/node/src/cli/run.ts';
import { capturedTerminal } from '../../packages/command-line/test/captured-terminal.ts';
import { FAST_BLOCKS } from './fast-blocks.ts';

let network: TemporaryNetwork;
const victim = () => network.node('validator-1');
const folderOf = (home: string) => join(home, HOME.data, DATA.recordings);

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4, flags: FAST_BLOCKS });
  await network.start();
  await untilHeight(network, 5);
});

afterAll(() => network?.remove());

async function recordingsOf(home: string): Promise<readonly string[]> {
  return (await readdir(folderOf(home))).sort().map((name) => join(folderOf(home), name));
}

async function replay(path: string, ...options: readonly string[]) {
  const terminal = capturedTerminal('/');
  const code = await runCommandLine(['replay', path, ...options], terminal);
  return { code, lines: terminal.outLines, said: terminal.outLines.join('\n') };
}

function saidBy(node: { readonly process: { readonly logFile: string } }, words: RegExp): Promise<string> {
  return eventually(`a log line that matches ${words}`, 40_000, async () =>
    (await readFile(node.process.logFile, 'utf8')).split('\n').find((line) => words.test(line)),
  );
}

test('the recording of a killed node replays to the same decisions, and the next start prints the command', async () => {
  await network.kill([victim().name]);
  const [path] = (await recordingsOf(victim().home)) as [string];
  const { code, said } = await replay(path);
  expect(code, said).toBe(0);
  expect(said).toMatch(/\d+ inputs had the effects that the node recorded/);
  expect(said).toMatch(/view 3 {2}led by \d {2}.*final \+\d+ ms/);

  const { lines } = await replay(path, '--until-view', '2', '--json');
  expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ end: { type: 'view-reached' }, self: 1, view: 3 });

  await network.start([victim().name]);
  const line = await saidBy(victim(), /was killed or failed/);
  expect(line).toContain(`slipstream replay ${path}`);
});

test('a stopped node ends its recording with the stop', async () => {
  const before = (await readFile(victim().process.logFile, 'utf8')).length;
  await victim().process.stop();
  const path = (await recordingsOf(victim().home)).at(-1) as string;
  expect((await replay(path)).said).toContain('The node was stopped here.');
  await network.start([victim().name]);
  const since = (await readFile(victim().process.logFile, 'utf8')).slice(before);
  expect(since).not.toContain('was killed or failed');
});

test('a node that fails names its recording', async () => {
  const { home, process } = victim();
  const [data, copy] = [join(home, HOME.data), join(home, 'older-copy')];
  await network.kill([victim().name]);
  await cp(data, copy, { recursive: true });
  await network.start([victim().name]);
  const { height } = await victim().client.status();
  await untilHeight(network, height + 5);
  await network.kill([victim().name]);
  await rm(data, { recursive: true });
  await cp(copy, data, { recursive: true });

  process.start(); // older copy: refuses to sign, and stops
  const line = await saidBy(victim(), /^The events of consensus are recorded/);
  const path = line.slice(line.indexOf('slipstream replay ') + 'slipstream replay '.length);
  const { code, said } = await replay(path);
  expect(code, said).toBe(0);
  expect(said).not.toContain('was stopped here');
});

test('no recording contains a secret of its node', async () => {
  for (const { home } of network.nodes) {
    const config = loadConfig({
      file: { path: HOME.config, text: await readFile(join(home, HOME.config), 'utf8') },
      environment: {},
      flags: new Map(),
    });
    const { validator } = await loadIdentity(home, config);
    const secrets = [Buffer.from(validator?.secretKey ?? [])];
    for (const name of await readdir(join(home, 'keys'))) {
      const text = (await readFile(join(home, 'keys', name), 'utf8')).trim();
      if (/^(0x)?[0-9a-f]{64}$/.test(text)) secrets.push(Buffer.from(text.replace('0x', ''), 'hex'));
      secrets.push(Buffer.from(text));
    }
    expect(secrets.length).toBeGreaterThan(3);
    const recordings = await recordingsOf(home);
    expect(recordings.length).toBeGreaterThan(0);
    for (const path of recordings) {
      const bytes = await readFile(path);
      for (const secret of secrets)
        expect(bytes.includes(secret) || bytes.includes(secret.toString('hex'))).toBe(false);
    }
  }
});

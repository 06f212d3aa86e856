/**
 * The way of someone who has an idea for an application and this repository, to its end: folder, tests, simulations, development with the
 * console open, a network under load, a call from the console's form, its proof in the browser, and the next version while the load runs.
 */
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { watchedLoad } from '@slipstream/app-loadgen';
import { artifactHash } from '@slipstream/app-realm';
import { root } from '@slipstream/checkout';
import { eventually, removeFolder, startAppDevelopment, temporaryFolder, untilHeight } from '@slipstream/devnet';
import { foundingApplication } from '@slipstream/node-home/applications';
import { to0x } from '@slipstream/primitives';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type tickets from '../../docs/integrators/examples/applications/tickets.ts';
import { decide, operatorOf, untilEpoch } from '../../scripts/devnet/governing.ts';
import { ADMIN_TOKEN_FILE, startNetwork, type WatchedNetwork } from '../browser/harness/network.ts';
import { launchBrowser, openPage } from '../browser/harness/page.ts';

const MS_MAX = 600_000;
const STEP_MS_MAX = 120_000;
const EXAMPLES = join(root, 'docs/integrators/examples/applications');
const TRANSACTIONS_PER_SECOND = 20;

const run = promisify(execFile);

/** In a folder; fails with what it printed. */
async function slipstream(folder: string, ...words: readonly string[]): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'apps/node/bin/main.mjs'), ...words];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } });
  return stdout;
}

/** Shows count returned seats; those that the first version wrote have returned none. */
function nextVersion(source: string): string {
  return [
    ['const show = record({ organizer: account, title: text(64), seats: u32, taken: u32 });', SHOWS],
    ['const shows = table(id, show);', TABLE],
    ['taken: 0 });', 'taken: 0, returned: 0 });'],
    ['version: 1,', 'version: 2,'],
  ].reduce((text, [from = '', to = '']) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  }, source);
}

const SHOWS = `const first = record({ organizer: account, title: text(64), seats: u32, taken: u32 });
const show = record({ organizer: account, title: text(64), seats: u32, taken: u32, returned: u32 });`;
const TABLE =
  'const shows = table(id, show, { version: 2, from: { 1: [first, (old) => ({ ...old, returned: 0 })] } });';

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function fundedForm(page: Page) {
  const call = panel(page, 'Call an action');
  await call.getByRole('button', { name: 'Generate a key' }).click();
  await call.getByRole('button', { name: 'Request test funds' }).click();
  await call.getByRole('button', { name: 'Funded: request more' }).waitFor({ timeout: STEP_MS_MAX });
  return call;
}

type Form = Awaited<ReturnType<typeof fundedForm>>;

async function sendFrom(call: Form, action: string, fields: Readonly<Record<string, string>>, shows: string) {
  await call.getByLabel('Action').selectOption(action);
  for (const [name, value] of Object.entries(fields)) await call.getByLabel(name, { exact: true }).fill(value);
  await call.getByRole('button', { name: 'Sign and send' }).click();
  await call.getByText(shows).first().waitFor({ timeout: STEP_MS_MAX });
}

async function develops(file: string, source: string): Promise<void> {
  const development = await startAppDevelopment(file);
  onTestFinished(async () => void (await development.stop()));
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openPage(browser, `${development.url}/#/applications/tickets`);
  const call = await fundedForm(page);
  await sendFrom(call, 'open', { title: 'Hamlet', seats: '0' }, 'no-seats');
  const saved = await development.save(source.replaceAll("fail('no-seats')", "fail('needs-a-seat')"));
  expect(saved).toMatchObject({ event: 'reloaded', changedCount: 1 });
  await page.reload();
  await sendFrom(await fundedForm(page), 'open', { title: 'Hamlet', seats: '0' }, 'needs-a-seat');
  await development.save(source);
  expect(await development.stop()).toBe(0);
}

/** Returns the show that it opened. */
async function callsFromTheConsole(network: WatchedNetwork): Promise<string> {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openPage(browser, `${network.url}/#/applications/tickets`);
  const call = await fundedForm(page);
  await sendFrom(call, 'open', { title: 'Hamlet', seats: '3' }, 'Opened');
  await panel(page, 'Recent events').getByText('Opened').first().waitFor({ timeout: STEP_MS_MAX });
  const link = call.getByRole('status').getByRole('link', { name: /^0x/ }).first();
  const show = await link.getAttribute('title');
  await link.click();
  await panel(page, 'Events').getByText('1. tickets: Opened').waitFor();
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByText('Proof verified').waitFor({ timeout: STEP_MS_MAX });
  await browser.close();
  return show ?? '';
}

/** One node gets the file, the others fetch it, and all accept it as they run. */
async function upgrades(network: WatchedNetwork, folder: string, artifact: string): Promise<void> {
  const operators = await Promise.all(network.nodes.slice(0, 3).map(operatorOf));
  const hash = artifactHash(await readFile(join(folder, artifact)));
  await decide(network.node('validator-0').client, operators, {
    kind: 'upgradeApplication',
    name: 'tickets',
    version: 2,
    hash,
  });
  const [first, ...others] = network.nodes;
  const accept = (home: string, what: string) =>
    slipstream(folder, 'app', 'accept', what, '--home', home, '--token-file', join(home, ADMIN_TOKEN_FILE));
  await accept(first?.home ?? '', artifact);
  for (const { client, name } of others) {
    await eventually(`${name} has fetched the artifact`, STEP_MS_MAX, async () => {
      const { artifacts } = await client.call('artifacts', {});
      return artifacts.some((each) => each.hash === to0x(hash) && each.state === 'fetched') ? true : undefined;
    });
  }
  // The epoch ends once two thirds of the weight have accepted: who is later stops there, and starts again.
  await Promise.all(others.map(({ home }) => accept(home, to0x(hash))));
  await untilEpoch(network, 1);
}

async function timed<T>(step: string, play: () => Promise<T>): Promise<T> {
  const begunMs = performance.now();
  const result = await play();
  process.stdout.write(`${step}: ${((performance.now() - begunMs) / 1_000).toFixed(1)} s\n`);
  return result;
}

test('an application goes from an empty folder to its second version on a network under load', {
  timeout: MS_MAX,
}, async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'tickets/tickets.ts');
  const source = await readFile(join(EXAMPLES, 'tickets.ts'), 'utf8');
  await timed('a folder, its tests, 20 seeds', async () => {
    await slipstream(folder, 'app', 'new', 'tickets');
    for (const name of ['tickets.ts', 'tickets.test.ts'])
      await copyFile(join(EXAMPLES, name), join(folder, 'tickets', name));
    expect(await slipstream(folder, 'app', 'test', 'tickets', '--json')).toContain('"failed":0');
    await slipstream(folder, 'app', 'sim', 'tickets', '--seeds', '20');
  });
  await timed('development with the console open', () => develops(file, source));
  const artifact = 'tickets/build/tickets.artifact';
  await slipstream(folder, 'app', 'build', 'tickets');
  const founding = foundingApplication(await readFile(join(folder, artifact)), undefined);
  const network = await startNetwork({ offender: false, accounts: true, applications: [founding] });
  onTestFinished(() => network.remove());
  const running = await watchedLoad(network, TRANSACTIONS_PER_SECOND);
  onTestFinished(() => running.watch.stop());
  await untilHeight(network, 5, STEP_MS_MAX);
  const show = await timed('a call from the form, its event, its proof', () => callsFromTheConsole(network));
  await timed('the second version, under load', async () => {
    await writeFile(file, nextVersion(source));
    await slipstream(folder, 'app', 'build', 'tickets');
    await upgrades(network, folder, artifact);
  });
  const app = await eventually('the second version in proven state', STEP_MS_MAX, async () => {
    const found = await network.node('validator-0').client.app<typeof tickets>('tickets');
    return found.manifest.version === 2 ? found : undefined;
  });
  expect(await app.query.show({ show: show as `0x${string}` })).toMatchObject({
    title: 'Hamlet',
    seats: 3,
    returned: 0,
  });
  await running.load.finish();
  expect(running.load.sent.lost()).toEqual([]);
});

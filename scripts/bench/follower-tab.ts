/**
 * The `follower-tab` bench: a tab that executes the blocks of a running chain and compares its results with the certified ones.
 *
 *   validator under load, stopped --> snapshot     started again --load--> blocks --> Chromium: tab --> lag, processor time, memory
 *
 * The snapshot and the chunks come from the node's data folder, everything else from its API. Lag: from the commit of a block at the node until the tab
 * has compared its result. Processor time: of all threads of the tab's process; what is read of busy loops is compared with their time first.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runSteady } from '@slipstream/app-loadgen';
import type { Cluster, ClusterNode } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { genesisFromJson } from '@slipstream/types';
import { print } from '../print.ts';
import { buildPage } from './browser/measure.ts';
import { type BenchOptions, type Claim, claim, median, printTable, quantile } from './claim.ts';
import { followChunkFiles } from './follower-tab/chunk-tail.ts';
import type { SignatureTimes, TakenBlock } from './follower-tab/page.ts';
import { readSnapshot } from './follower-tab/read-snapshot.ts';
import { serveFollower } from './follower-tab/server.ts';
import { onTab, type Tab, type TabUse, usedBetween } from './follower-tab/tab.ts';
import { onNetwork, type Pressed, press } from './load/network.ts';

const SEED = 'follower-tab';
const ACCOUNTS = 10_000;
const TRANSACTIONS_PER_SECOND = 100;
const SETTINGS = { 'consensus.minBlockIntervalMs': 300 };
const PAGE = fileURLToPath(new URL('follower-tab/page.ts', import.meta.url));
/** Of a read of the processor time, for the chart. */
const SAMPLE_MS = 1_000;
/** After a load. */
const CHECK_MS_MAX = 10_000;
const CHECK_POLL_MS = 200;

interface Effort {
  /** Before the snapshot: its state is not the genesis state. */
  readonly firstSeconds: number;
  /** Until the tab's code is compiled. */
  readonly warmSeconds: number;
  readonly seconds: number;
  readonly accounts: readonly number[];
  readonly signatures: number;
}

const FULL: Effort = {
  firstSeconds: 10,
  warmSeconds: 15,
  seconds: 60,
  accounts: [10_000, 100_000],
  signatures: 2_000,
};
const SMOKE: Effort = { firstSeconds: 1, warmSeconds: 1, seconds: 3, accounts: [1_000], signatures: 64 };

interface Found {
  readonly reading: Awaited<ReturnType<Tab['checkReading']>>;
  readonly openedMs: { readonly fetch: number; readonly open: number };
  readonly entries: number;
  readonly blocks: readonly TakenBlock[];
  readonly uses: readonly TabUse[];
  readonly heapBytes: number;
  readonly receivedBytes: number;
  readonly rebuilds: readonly Rebuild[];
  readonly signatures: SignatureTimes;
}

interface Rebuild {
  readonly accounts: number;
  readonly ms: number;
  readonly bytes: number;
}

export async function run({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const shape = { validators: 1, fullNodes: 0, accounts: ACCOUNTS };
  const found = await onNetwork(shape, SETTINGS, (network) =>
    press(network, { seed: SEED, accounts: ACCOUNTS }, (pressed) => measure(pressed, effort)),
  );
  printFound(found);
  drawFound(found, draw);
  return claimsOf(found);
}

async function measure(pressed: Pressed, effort: Effort): Promise<Found> {
  const { cluster } = pressed.network;
  const [node] = cluster?.nodes ?? [];
  if (cluster === undefined || node === undefined) throw new Error('the bench reads the folder of a node of its own');
  const { blocks } = await load(pressed, effort.firstSeconds, 0);
  const snapshot = await stoppedSnapshot(cluster, node);
  const genesis: unknown = JSON.parse(await readFile(cluster.genesisFile, 'utf8'));
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-follower-'));
  try {
    await buildPage(folder, PAGE);
    const chunks = followChunkFiles(join(node.home, HOME.data));
    const server = await serveFollower({ page: join(folder, 'dist'), port: node.apiPort, snapshot, chunks });
    try {
      return await onTab(server.url, async (tab) => {
        const reading = await tab.checkReading();
        const { entries, fetchMs, openMs } = await tab.follow(genesis);
        const followed = await underLoad(pressed, tab, { effort, firstBlock: blocks, bytesSent: server.bytesSent });
        await tab.stop();
        const rebuilds = await rebuildAll(tab, effort.accounts);
        const signatures = await tab.verify(effort.signatures);
        return { ...followed, reading, entries, openedMs: { fetch: fetchMs, open: openMs }, rebuilds, signatures };
      });
    } finally {
      server.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rebuildAll(tab: Tab, sizes: readonly number[]): Promise<readonly Rebuild[]> {
  const before = await tab.heapBytes();
  const rebuilds: Rebuild[] = [];
  for (const accounts of sizes) {
    const ms = await tab.rebuild(accounts);
    rebuilds.push({ accounts, ms, bytes: (await tab.heapBytes()) - before });
  }
  return rebuilds;
}

async function stoppedSnapshot(cluster: Cluster, node: ClusterNode) {
  const genesis = genesisFromJson(JSON.parse(await readFile(cluster.genesisFile, 'utf8')));
  if (!genesis.ok) throw new Error(`the genesis file of the network: ${genesis.error.join('; ')}`);
  await node.process.stop();
  const snapshot = await readSnapshot(join(node.home, HOME.data), genesis.value);
  await cluster.start();
  return snapshot;
}

function load(
  { components }: Pressed,
  seconds: number,
  firstBlock: number,
  during?: (sent: AbortSignal) => Promise<void>,
) {
  return runSteady(components, {
    transactionsPerSecond: TRANSACTIONS_PER_SECOND,
    seconds,
    firstBlock,
    audits: false,
    readsNodes: false,
    ...(during && { during }),
  });
}

interface UnderLoad {
  readonly effort: Effort;
  readonly firstBlock: number;
  readonly bytesSent: () => number;
}

async function underLoad(pressed: Pressed, tab: Tab, { effort, firstBlock, bytesSent }: UnderLoad) {
  const warm = await load(pressed, effort.warmSeconds, firstBlock);
  await takeAll(tab, warm.counts.final);
  const uses: TabUse[] = [];
  let receivedBytes = 0;
  const result = await load(pressed, effort.seconds, firstBlock + warm.blocks, async (sent) => {
    const before = bytesSent();
    uses.push(await tab.use());
    while (!sent.aborted) {
      await wait(SAMPLE_MS, sent);
      uses.push(await tab.use());
    }
    receivedBytes = bytesSent() - before;
  });
  const blocks = await takeAll(tab, result.counts.final);
  return { blocks, uses, receivedBytes, heapBytes: await tab.heapBytes() };
}

/** The blocks of a load: until the tab has compared all its transactions. */
async function takeAll(tab: Tab, transactions: number): Promise<readonly TakenBlock[]> {
  const blocks: TakenBlock[] = [];
  const deadline = performance.now() + CHECK_MS_MAX;
  while (transactionsOf(blocks) < transactions) {
    if (performance.now() > deadline) {
      throw new Error(`the tab compared ${transactionsOf(blocks)} of ${transactions} transactions`);
    }
    blocks.push(...(await tab.take()));
    await wait(CHECK_POLL_MS);
  }
  return blocks;
}

const transactionsOf = (blocks: readonly TakenBlock[]) => blocks.reduce((sum, block) => sum + block.transactions, 0);

/** Ends early when the signal aborts. */
async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {});
}

const PARTS = ['verifyMs', 'executeMs', 'digestMs'] as const;

const perTransactionUs = (blocks: readonly TakenBlock[], part: (typeof PARTS)[number]) =>
  (blocks.reduce((sum, block) => sum + block[part], 0) * 1_000) / transactionsOf(blocks);

function totalUse({ uses }: Found) {
  const [first, last] = [uses[0], uses.at(-1)];
  if (first === undefined || last === undefined) throw new Error('the use of the tab was not read');
  return usedBetween(first, last);
}

function printFound(found: Found): void {
  const { blocks, openedMs, entries } = found;
  print(
    `  snapshot of ${entries} entries: fetched in ${openedMs.fetch.toFixed(0)} ms, opened in ${openedMs.open.toFixed(0)} ms`,
  );
  const busy = blocks.filter(({ transactions }) => transactions > 0);
  printTable(
    `${blocks.length} blocks, ${transactionsOf(blocks)} transactions, ms a block`,
    ['part', 'p50', 'p95'],
    (['fetchMs', ...PARTS, 'lagMs'] as const).map((part) => {
      const values = busy.map((block) => block[part]);
      return [part.slice(0, -2), quantile(values, 0.5), quantile(values, 0.95)];
    }),
  );
  printTable(
    'processor time of the tab, cores',
    ['thread', 'cores'],
    [...totalUse(found).threads].toSorted(([, a], [, b]) => b - a),
  );
  print(`  of busy loops was read: page ${found.reading.page.toFixed(3)}, worker ${found.reading.worker.toFixed(3)}`);
}

function drawFound({ blocks, uses }: Found, draw: BenchOptions['draw']): void {
  const windows = uses.slice(1).map((use, i) => usedBetween(uses[i] as TabUse, use));
  const beganMs = uses[0]?.atMs ?? 0;
  draw({
    title: 'Processor time of the tab',
    about: `Cores of all threads of the tab, and of its main thread, at ${TRANSACTIONS_PER_SECOND} transactions per second.`,
    unit: 'cores',
    x: { name: 'time', unit: 's', values: uses.slice(1).map(({ atMs }) => (atMs - beganMs) / 1_000) },
    lines: [
      { name: 'all threads', values: windows.map(({ cores }) => cores) },
      { name: 'main thread', values: windows.map(({ threads }) => threads.get('main')) },
    ],
  });
  draw({
    title: 'Lag of the tab',
    about: 'From the commit of a block at the node until the tab has compared its result with the certified one.',
    unit: 'ms',
    x: { name: 'height', unit: '', values: blocks.map(({ height }) => height) },
    lines: [{ name: 'lag', values: blocks.map(({ lagMs }) => lagMs) }],
  });
}

function claimsOf(found: Found): Claim[] {
  const { reading, blocks, uses, openedMs, rebuilds, signatures, receivedBytes, heapBytes } = found;
  const transactions = transactionsOf(blocks);
  const use = totalUse(found);
  const lags = blocks.filter(({ transactions: count }) => count > 0).map(({ lagMs }) => lagMs);
  const { nativeUs, javascriptUs } = signatures;
  return [
    claim('follower_cpu_share', use.cores, 'cores', uses.length),
    claim('main_thread_share', use.threads.get('main') ?? Number.NaN, 'cores', uses.length),
    claim('read_of_page_loop', reading.page, 'ratio', 1),
    claim('read_of_worker_loop', reading.worker, 'ratio', 1),
    claim('lag_ms_p50', median(lags), 'ms', lags.length),
    claim('lag_ms_p95', quantile(lags, 0.95), 'ms', lags.length),
    ...PARTS.map((part) => claim(`${part.slice(0, -2)}_us`, perTransactionUs(blocks, part), 'us', transactions)),
    claim('received_bytes_per_second', receivedBytes / use.seconds, 'B/s', 1),
    claim('heap_bytes', heapBytes, 'B', 1),
    claim('memory_bytes', uses.at(-1)?.memoryBytes ?? Number.NaN, 'B', 1),
    claim('snapshot_seconds', (openedMs.fetch + openedMs.open) / 1_000, 's', 1),
    ...rebuilds.flatMap(({ accounts, ms, bytes }) => [
      claim(`rebuild_seconds_${accounts}`, ms / 1_000, 's', 1),
      claim(`bytes_per_account_${accounts}`, bytes / accounts, 'B', 1),
    ]),
    ...(nativeUs === undefined ? [] : [claim('signature_native_us', nativeUs, 'us', 1)]),
    claim('signature_javascript_us', javascriptUs, 'us', 1),
  ];
}

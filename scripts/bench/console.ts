/**
 * The `console` bench: event to pixel at five blocks per second with 1,000 changing peers; first load; growth of memory.
 *
 *   fake node (real API, made-up events) --stream--> Chromium --each frame notes the height it shows--> event to pixel
 *                                                       \--heap of page and worker after a collection, every few seconds
 */

import { root } from '@slipstream/checkout';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import { ensureConsole } from '../bootstrap/console-build.mjs';
import { warn } from '../print.ts';
import { type BenchOptions, type Claim, quantile } from './claim.ts';
import { watchHeaps } from './console/heaps.ts';

const PEERS = 1_000;
const VIEWS = ['overview', 'timeline', 'peers', 'dissemination'] as const;
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu'];
/** Until the first state, and compiled code. */
const SETTLE_MS = 4_000;
/** Multiple of the usual event rate, so that minutes bring an hour's events. */
const HEAP_PACE = 6;
/** Parts of the memory measurement. After PARTS_TO_FILL the page's lists are full (console/src/stream/limits.ts: 600 s of stats). */
const PARTS = 12;
const PARTS_TO_FILL = 4;
const HOUR_MS = 3_600_000;

/** In the page: when each height was first shown, when frames were drawn. */
const WATCH = `(() => {
  window.shown = new Map();
  window.framesMs = [];
  const height = document.querySelector('.bar-height b');
  const frame = (atMs) => {
    window.framesMs.push(atMs);
    const text = height.textContent.replaceAll(',', '');
    if (!window.shown.has(text)) window.shown.set(text, Date.now());
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const [pixelMs, heapMs] = smoke ? [1_500, 6_000] : [20_000, 360_000];
  await ensureConsole({ root, say: warn });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const drawn = await withNode(1, async (node) => {
      const claims: Claim[] = [await firstLoad(browser, node)];
      for (const view of VIEWS) claims.push(...(await pixels(browser, node, view, pixelMs)));
      return claims;
    });
    return [...drawn, ...(await withNode(HEAP_PACE, (node) => heap(browser, node, heapMs)))];
  } finally {
    await browser.close();
  }
}

async function withNode<T>(rate: number, work: (node: RunningFake) => Promise<T>): Promise<T> {
  const node = await runFakeNode({ peers: PEERS, rate });
  return await work(node).finally(() => node.stop());
}

/** Bytes received until the page is live, compressed as received. */
async function firstLoad(browser: Browser, node: RunningFake): Promise<Claim> {
  const page = await browser.newPage();
  const sizes: Promise<{ readonly responseBodySize: number }>[] = [];
  page.on('requestfinished', (request) => {
    if (/^\/($|assets\/|favicon)/.test(new URL(request.url()).pathname)) sizes.push(request.sizes());
  });
  await page.goto(node.url, { waitUntil: 'networkidle' });
  await page.getByText('Live', { exact: true }).waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  await page.close();
  return { name: 'first_load_kb', value: bytes / 1_000, unit: 'kB', samples: sizes.length };
}

async function open(browser: Browser, node: RunningFake, view: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${node.url}/#/${view}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.waitForTimeout(SETTLE_MS);
  return page;
}

async function pixels(browser: Browser, node: RunningFake, view: string, forMs: number): Promise<readonly Claim[]> {
  const page = await open(browser, node, view);
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const sentMs = new Map<string, number>();
  let last = node.api.hub.sequence();
  const stop = node.api.hub.subscribe(() => {
    for (; last < node.api.hub.sequence(); last++) {
      const entry = node.api.hub.at(last + 1);
      if (entry?.type !== 'block.committed') continue;
      const { atMs, event } = JSON.parse(entry.text) as { atMs: number; event: { data: { height: number } } };
      sentMs.set(String(event.data.height), atMs);
    }
  });
  await page.evaluate(WATCH);
  const busyBefore = await busySeconds(client);
  await page.waitForTimeout(forMs);
  const busy = ((await busySeconds(client)) - busyBefore) / (forMs / 1_000);
  stop();
  const shown = await page.evaluate<readonly (readonly [string, number])[]>('[...window.shown]');
  const framesMs = await page.evaluate<readonly number[]>('window.framesMs');
  await page.close();
  const delays = shown.flatMap(([height, atMs]) => (sentMs.has(height) ? [atMs - (sentMs.get(height) ?? 0)] : []));
  const gaps = framesMs.slice(1).map((atMs, i) => atMs - (framesMs[i] ?? 0));
  const frames = framesMs.length;
  return [
    { name: `pixel_p50_ms_${view}`, value: quantile(delays, 0.5), unit: 'ms', samples: delays.length },
    { name: `pixel_p99_ms_${view}`, value: quantile(delays, 0.99), unit: 'ms', samples: delays.length },
    { name: `frames_per_second_${view}`, value: frames / (forMs / 1_000), unit: '1/s', samples: frames },
    { name: `frame_gap_p99_ms_${view}`, value: quantile(gaps, 0.99), unit: 'ms', samples: gaps.length },
    { name: `thread_busy_${view}`, value: busy, unit: 'of a core', samples: 1 },
  ];
}

async function heap(browser: Browser, node: RunningFake, forMs: number): Promise<readonly Claim[]> {
  const page = await open(browser, node, 'dissemination');
  const heaps = await watchHeaps(browser, page);
  const sizes: number[] = [];
  for (let part = 0; part <= PARTS; part++) {
    if (part > 0) await page.waitForTimeout(forMs / PARTS);
    sizes.push(await heaps.usedMb());
  }
  await page.close();
  const full = sizes.slice(PARTS_TO_FILL);
  // Per hour at the usual rate.
  const growth = (slope(full) * HOUR_MS) / ((forMs / PARTS) * HEAP_PACE);
  return [
    { name: 'heap_mb_at_first', value: sizes[0] ?? Number.NaN, unit: 'MB', samples: 1 },
    { name: 'heap_mb_at_last', value: sizes.at(-1) ?? Number.NaN, unit: 'MB', samples: 1 },
    { name: 'heap_growth_mb_per_hour', value: growth, unit: 'MB/h', samples: full.length },
  ];
}

function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [rise, run] = values.reduce(
    ([y, x], value, i) => [y + (i - middle) * (value - mean), x + (i - middle) ** 2],
    [0, 0],
  );
  return rise / run;
}

async function busySeconds(client: CDPSession): Promise<number> {
  const { metrics } = await client.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

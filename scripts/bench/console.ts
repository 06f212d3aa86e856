/**
 * The `console` bench: from an event at the node to the frame that shows it, five blocks a second, 1,000 peers; and whether memory
 * stays flat.
 *
 *   fake node (real API, made-up events) --stream--> Chromium --each frame notes the height it shows--> event to pixel
 *                                                       \--heap after a collection, at each fifth of the run
 */
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { type RunningFake, runFakeNode } from '../../console/test/fake-node.ts';
import type { BenchOptions, Claim } from './claim.ts';

const PEERS = 1_000;
const VIEWS = ['overview', 'timeline', 'peers', 'dissemination'] as const;
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'];
/** For the page to have its first state, and its code to be warm. */
const SETTLE_MS = 4_000;
const PARTS = 5;

/** In the page: when each height was first in a frame, and how many frames there were. */
const WATCH = `(() => {
  window.shown = new Map();
  window.frames = 0;
  const height = document.querySelector('.bar-height b');
  const frame = () => {
    window.frames += 1;
    const text = height.textContent.replaceAll(',', '');
    if (!window.shown.has(text)) window.shown.set(text, Date.now());
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const [pixelMs, heapMs] = smoke ? [3_000, 5_000] : [20_000, 60_000];
  const node = await runFakeNode({ peers: PEERS });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  try {
    const claims: Claim[] = [];
    for (const view of VIEWS) claims.push(...(await pixels(browser, node, view, pixelMs)));
    return [...claims, ...(await heap(browser, node, heapMs))];
  } finally {
    await browser.close();
    await node.stop();
  }
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
  const frames = await page.evaluate<number>('window.frames');
  await page.close();
  const delays = shown
    .flatMap(([height, atMs]) => (sentMs.has(height) ? [atMs - (sentMs.get(height) ?? 0)] : []))
    .sort((a, b) => a - b);
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(share * delays.length))] ?? Number.NaN;
  const samples = delays.length;
  return [
    { name: `event to pixel, ${view}, p50`, value: at(0.5), unit: 'ms', samples },
    { name: `event to pixel, ${view}, p99`, value: at(0.99), unit: 'ms', samples },
    { name: `frames, ${view}`, value: Math.round(frames / (forMs / 1_000)), unit: '1/s', samples: frames },
    { name: `page's thread busy, ${view}`, value: Math.round(busy * 100), unit: '%', samples: 1 },
  ];
}

async function heap(browser: Browser, node: RunningFake, forMs: number): Promise<readonly Claim[]> {
  const page = await open(browser, node, 'dissemination');
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const sizes: number[] = [];
  for (let part = 0; part <= PARTS; part++) {
    if (part > 0) await page.waitForTimeout(forMs / PARTS);
    await client.send('HeapProfiler.collectGarbage');
    sizes.push((await metric(client, 'JSHeapUsedSize')) / 1e6);
  }
  await page.close();
  const round = (value: number | undefined) => Math.round((value ?? Number.NaN) * 100) / 100;
  return [
    { name: 'heap after a collection, at first', value: round(sizes[0]), unit: 'MB', samples: 1 },
    { name: `heap after a collection, ${forMs / 1_000} s later`, value: round(sizes.at(-1)), unit: 'MB', samples: 1 },
    { name: 'largest heap of those looked at', value: round(Math.max(...sizes)), unit: 'MB', samples: sizes.length },
  ];
}

const busySeconds = (client: CDPSession) => metric(client, 'TaskDuration');

async function metric(client: CDPSession, name: string): Promise<number> {
  const { metrics } = await client.send('Performance.getMetrics');
  return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

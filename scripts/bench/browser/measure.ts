/** Builds a page of a bench, serves it under a content security policy, and measures it in Chromium. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from 'vite';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' };
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** As the console's build: what a page does not use of them is left out. */
const PURE = /\/(packages\/[a-z-]+\/src|node_modules\/(@chainsafe|@noble|typebox))\//;

/** Policies of a page: with WebAssembly and without. */
const POLICIES = {
  webassembly: "script-src 'self' 'wasm-unsafe-eval'",
  javascript: "script-src 'self'",
} as const;
type Policy = keyof typeof POLICIES;

/** What `page`, a module's path, puts into `window.measure` returns for `argument`, a JSON value, under each policy. */
export async function measureInBrowser<T>(page: string, argument: unknown): Promise<Readonly<Record<Policy, T>>> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-bench-page-'));
  const served = join(folder, 'dist');
  try {
    await buildPage(folder, page);
    return {
      webassembly: await measurePage<T>(served, POLICIES.webassembly, argument),
      javascript: await measurePage<T>(served, POLICIES.javascript, argument),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Into `folder`/dist. `page`: a module's path. */
export async function buildPage(folder: string, page: string): Promise<void> {
  await writeFile(join(folder, 'index.html'), '<!doctype html><script type="module" src="/main.ts"></script>');
  await writeFile(join(folder, 'main.ts'), `import ${JSON.stringify(page)};`);
  const rolldownOptions = {
    treeshake: { moduleSideEffects: (id: string) => !PURE.test(id) },
    transform: { inject: { Buffer: file('../../../console/vite/buffer.ts') } },
  };
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    resolve: { alias: { '@chainsafe/as-sha256': file('../../../console/vite/as-sha256.ts') } },
    worker: { format: 'es', rolldownOptions },
    build: { target: 'es2023', chunkSizeWarningLimit: 2_000, rolldownOptions },
  });
}

async function measurePage<T>(folder: string, policy: string, argument: unknown): Promise<T> {
  const server = createServer((request, response) => answerWithFile(response, folder, request.url ?? '/', policy));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction('window.measure !== undefined', undefined, { timeout: 60_000 });
    return await page.evaluate<T>(`window.measure(${JSON.stringify(argument)})`);
  } finally {
    await browser.close();
    server.close();
  }
}

/** `url`: as requested. `policy`: where scripts may come from. */
export function answerWithFile(response: ServerResponse, folder: string, url: string, policy: string): void {
  const path = normalize(new URL(url, 'http://page').pathname);
  const name = path === '/' ? 'index.html' : path.slice(1);
  readFile(join(folder, name)).then(
    (bytes) => {
      response.writeHead(200, {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        'content-security-policy': `default-src 'none'; ${policy}; worker-src 'self'; connect-src 'self'`,
      });
      response.end(bytes);
    },
    () => response.writeHead(404).end(),
  );
}

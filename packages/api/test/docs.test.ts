import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EVENT_TYPES, PROBLEM_CODES, problem } from '@slipstream/schema';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningApi, runApi, startApi } from './running-api.ts';

vi.mock('node:fs/promises', { spy: true });

const PAGES = ['/docs', '/docs/streams', '/docs/problems'];
const FILES: readonly (readonly [string, string])[] = [
  ['/docs/docs.css', 'text/css'],
  ['/docs/start.js', 'text/javascript'],
  ['/docs/swagger-ui.css', 'text/css'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript'],
];

let api: RunningApi;
beforeAll(async () => {
  api = await runApi();
});
afterAll(async () => {
  await api.stop();
  expect(api.faults).toEqual([]);
});

const get = (path: string, options: RequestInit = {}) => fetch(api.url + path, options);
const textOf = async (path: string) => (await get(path)).text();

describe('the documentation', () => {
  it.each(PAGES)('at %s allows only files of this node: no inline script, no eval', async (path) => {
    const response = await get(path);
    expect(response.headers.get('content-type')).toContain('text/html');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    const page = await response.text();
    expect(page).not.toMatch(/<style|style=|<script>|\son\w+=/);
    expect(page).not.toMatch(/(src|href)="(?!\/[^/]|#|data:,")/);
  });

  it.each(PAGES)('at %s loads and links only existing files', async (path) => {
    const addresses = [...(await textOf(path)).matchAll(/(?:src|href)="(\/[^"#]*)"/g)].map(([, address]) => address);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of new Set(addresses)) expect((await get(address as string)).status, address).toBe(200);
  });

  it.each([...PAGES, ...FILES.map(([path]) => path)])(
    'at %s has an ETag of its content, and answers HEAD',
    async (path) => {
      const response = await get(path);
      const content = await response.text();
      const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
      expect([response.status, response.headers.get('etag')]).toEqual([200, etag]);
      expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
      const head = await get(path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(content)));
    },
  );

  it.each(FILES)('serves %s as %s', async (path, mediaType) => {
    const { headers } = await get(path);
    expect(headers.get('content-type')).toContain(mediaType);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('reads a file of the viewer once for all that request it together', async () => {
    const { url } = await startApi();
    const before = vi.mocked(readFile).mock.calls.length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/docs/swagger-ui.css`)));
    for (const answer of answers) expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
    expect(vi.mocked(readFile).mock.calls.length - before).toBe(1);
  });

  it('serves no other file of the viewer', async () => {
    for (const name of ['package.json', 'index.html', 'swagger-ui.js', '..%2fpackage.json'])
      expect((await get(`/docs/${name}`)).status, name).toBe(404);
  });

  it('has a section for each problem, to which its type links', async () => {
    const page = await textOf('/docs/problems');
    for (const code of PROBLEM_CODES) {
      expect(problem(code).type).toBe(`/docs/problems#${code}`);
      expect(page).toContain(`<h2 id="${code}">`);
    }
  });

  it('has a section for each event and for each name that it links', async () => {
    const page = await textOf('/docs/streams');
    for (const type of EVENT_TYPES) expect(page).toContain(`id="message-${type}"`);
    const ids = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.filter((id) => !ids.has(id))).toEqual([]);
  });
});

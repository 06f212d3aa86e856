/** The console's files, served by the gateway even while all nodes are down. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { securityHeaders } from '@slipstream/api/security-headers';

interface ServedFile {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The files of the build. */
const PATHS = /^\/(?:|index\.html|favicon\.svg|assets\/[A-Za-z0-9._-]+)$/;

/** Undefined: no such file. `marker` goes into the page's head and tells the page that it has a fleet. */
export async function consoleFile(folder: string, path: string, marker: string): Promise<ServedFile | undefined> {
  const name = path === '/' ? '/index.html' : path;
  const type = TYPES[extname(name)];
  if (!PATHS.test(path) || type === undefined) return undefined;
  const bytes = await readFile(join(folder, name)).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const page =
    name === '/index.html' ? Buffer.from(bytes.toString('utf8').replace('</head>', `${marker}</head>`)) : bytes;
  return { bytes: page, headers: { ...securityHeaders('console'), 'content-type': type, 'cache-control': 'no-cache' } };
}

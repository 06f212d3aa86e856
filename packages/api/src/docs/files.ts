/**
 * What the documentation's pages load: two files of Swagger UI and our own style and script.
 *
 * Swagger UI is looked for when a page loads it: a node starts without it.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Answer, bytes } from '../answer.ts';
import { revalidatedHeaders, tagOf } from '../caching.ts';
import type { HttpServer } from '../http-server.ts';
import { DOCS_STYLE } from './page.ts';
import { START_SCRIPT } from './routes-page.ts';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const { resolve } = createRequire(import.meta.url);

interface DocsFile {
  readonly mediaType: string;
  read(): Promise<Uint8Array | string>;
}

const FILES: Readonly<Record<string, DocsFile>> = {
  'docs.css': { mediaType: CSS, read: async () => DOCS_STYLE },
  'start.js': { mediaType: SCRIPT, read: async () => START_SCRIPT },
  'swagger-ui.css': { mediaType: CSS, read: () => readFile(resolve('swagger-ui-dist/swagger-ui.css')) },
  'swagger-ui-bundle.js': { mediaType: SCRIPT, read: () => readFile(resolve('swagger-ui-dist/swagger-ui-bundle.js')) },
};

export function registerDocsFiles({ app, sendAnswer }: HttpServer): void {
  for (const [name, file] of Object.entries(FILES)) {
    // One read for all requests that wait for it; a read that failed is repeated.
    let loading: Promise<Answer> | undefined;
    app.get(`/docs/${name}`, async (request, reply) => {
      loading ??= load(file).catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return sendAnswer(request, reply, await loading);
    });
  }
}

async function load({ mediaType, read }: DocsFile): Promise<Answer> {
  const content = await read();
  return bytes(mediaType, content, revalidatedHeaders(tagOf(content)));
}

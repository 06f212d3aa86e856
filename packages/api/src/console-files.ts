import fastifyStatic from '@fastify/static';
import type { FastifyRequest } from 'fastify';
import { type HttpServer, routeUnknown } from './http-server.ts';
import { securityHeaders } from './security-headers.ts';

/** Vite puts a content hash into these names. */
const HASHED = /[\\/]assets[\\/]/;

export async function registerConsole(server: HttpServer, consoleFolder: string | undefined): Promise<void> {
  const { app, sendProblem } = server;
  if (consoleFolder === undefined) {
    app.get('/', (_request, reply) => reply.headers(server.answerHeaders()).redirect('/docs', 302));
  } else {
    await app.register(fastifyStatic, {
      root: consoleFolder,
      dotfiles: 'ignore',
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        for (const [name, value] of Object.entries(securityHeaders('console'))) reply.header(name, value);
        reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
  }

  app.setNotFoundHandler((request, reply) => {
    // The reply is not returned: fastify would wait for it with listeners beyond Node's limit for one response.
    if (consoleFolder !== undefined && isPage(request)) reply.code(200).sendFile('index.html');
    else sendProblem(reply, routeUnknown(request.url));
  });
}

/** A single-page application: every page address serves index.html. */
function isPage({ method, url, headers }: FastifyRequest): boolean {
  const path = url.split('?')[0] ?? '';
  const isFile = /\.[a-z0-9]+$/i.test(path);
  return method === 'GET' && !path.startsWith('/v1/') && !isFile && (headers.accept ?? '').includes('text/html');
}

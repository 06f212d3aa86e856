/**
 * Serves the page of the bench, relays its requests and its stream to a node, and gives what the node's API lacks: a snapshot, and chunks.
 *
 *   tab --/v1/...--> node         tab --/follower/head, entries, chunks/ID--> snapshot, chunk files
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { relayRequest, relayUpgrade } from '../../../packages/devnet/src/gateway/relay.ts';
import { answerWithFile } from '../browser/measure.ts';
import type { ChunkTail } from './chunk-tail.ts';
import type { ServedSnapshot } from './read-snapshot.ts';

interface ServedParts {
  /** Of the built page. */
  readonly page: string;
  /** Of the node's API. */
  readonly port: number;
  readonly snapshot: ServedSnapshot;
  readonly chunks: ChunkTail;
}

export interface RunningServer {
  readonly url: string;
  /** To the tab, headers included. */
  bytesSent(): number;
  close(): void;
}

const POLICY = "script-src 'self' 'wasm-unsafe-eval'";
const CHUNK = /^\/follower\/chunks\/([0-9a-f]{64})$/;

export async function serveFollower(parts: ServedParts): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  let sentBefore = 0;
  const server = createServer((request, response) => void answer(parts, request, response));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
    relayUpgrade(request, socket, head, { port: parts.port, path: request.url ?? '/' }),
  );
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      sentBefore += socket.bytesWritten;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytesSent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, sentBefore),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  { page, port, snapshot, chunks }: ServedParts,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const path = request.url ?? '/';
  if (path.startsWith('/v1/')) return relayRequest(request, response, { port, path });
  if (path === '/follower/head') return response.end(JSON.stringify(snapshot.head));
  if (path === '/follower/entries') return response.end(snapshot.entries);
  const id = CHUNK.exec(path)?.[1];
  if (id === undefined) return answerWithFile(response, page, path, POLICY);
  const chunk = await chunks.get(id);
  if (chunk === undefined) return response.writeHead(404).end();
  return response.end(chunk);
}

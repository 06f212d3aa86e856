/**
 * Upgrades to a WebSocket, through hooks and checks.
 *
 *   upgrade --> hooks, route --accept--> WebSocket
 *                          \--refused--> answer --> closed
 *
 * Node's timeouts and a server close do not reach an upgraded socket, so its time to become a WebSocket or closed is bounded here.
 */
/// <reference path="./streams/ws.d.ts" />
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@slipstream/ports';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { READ_ANSWER_MS } from './malformed-requests.ts';
import type { ServerSocket } from './streams/web-socket.ts';

export interface Upgrades {
  /** `accept` can upgrade this request. */
  asks(request: IncomingMessage): boolean;
  /** A malformed handshake is answered here. */
  accept(request: IncomingMessage, messageBytesMax: number, open: (socket: ServerSocket) => void): void;
}

interface Asking {
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly accepted: () => void;
}

/** Per message: frames, buffered pieces. */
const FRAGMENTS_MAX = 16;
const CHUNKS_MAX = 1024;
/** For the reader to take in messages and to answer a close. */
const CLOSE_GRACE_MS = 5_000;

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Which requests Node releases for an upgrade; it supervises the others' connections. */
interface UpgradeRule {
  /** For `shouldUpgradeCallback`. Offers of another protocol (curl and Java offer h2c) are ignored. */
  mayUpgrade(request: IncomingMessage): boolean;
  watch(app: FastifyInstance): void;
}

export function createUpgradeRule(): UpgradeRule {
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, more: 1 | -1) => unanswered.set(socket, (unanswered.get(socket) ?? 0) + more);
  return {
    // Pending answers of pipelined requests would mix with WebSocket messages.
    mayUpgrade: (request) =>
      request.method === 'GET' && isWebSocketUpgrade(request) && (unanswered.get(request.socket) ?? 0) === 0,
    watch({ server }) {
      server.prependListener('request', (request, response) => {
        count(request.socket, 1);
        response.once('close', () => count(request.socket, -1));
        if (isWebSocketUpgrade(request)) response.shouldKeepAlive = false;
      });
    },
  };
}

interface UpgradeComponents {
  readonly server: {
    readonly app: FastifyInstance;
    reportFault(error: unknown, route: string): void;
  };
  readonly clock: Clock;
}

export function createUpgrades({ server: { app, reportFault }, clock }: UpgradeComponents): Upgrades {
  /** By the largest message. */
  const servers = new Map<number, WebSocketServer>();
  const askings = new WeakMap<IncomingMessage, Asking>();

  function serverFor(messageBytesMax: number): WebSocketServer {
    const known = servers.get(messageBytesMax);
    if (known !== undefined) return known;
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: messageBytesMax,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: CHUNKS_MAX,
      perMessageDeflate: false,
      closeTimeout: CLOSE_GRACE_MS,
    });
    servers.set(messageBytesMax, server);
    return server;
  }

  app.server.on('upgrade', (request, socket, head) => {
    const destroy = () => void socket.destroy();
    const cancel = clock.after(READ_ANSWER_MS, destroy);
    socket.once('close', cancel).on('error', destroy);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.once('finish', () => request.socket.destroySoon());
    const accepted = () => {
      cancel();
      socket.off('close', cancel).off('error', destroy);
      response.detachSocket(request.socket);
    };
    askings.set(request, { socket, head, accepted });
    app.routing(request, response);
  });

  return {
    asks: (request) => askings.has(request),
    accept(request, messageBytesMax, open) {
      const asking = askings.get(request);
      if (asking === undefined) throw new Error('this request did not ask for a WebSocket');
      const { socket, head, accepted } = asking;
      serverFor(messageBytesMax).handleUpgrade(request, socket, head, (webSocket) => {
        accepted();
        webSocket.on('error', () => webSocket.terminate());
        try {
          open(webSocket);
        } catch (error) {
          reportFault(error, 'upgrade');
          webSocket.terminate();
        }
      });
    },
  };
}

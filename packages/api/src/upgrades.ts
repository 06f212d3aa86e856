/**
 * Requests to become a WebSocket. They pass the hooks and checks of any request, and end in one of two ways.
 *
 *   upgrade --> hooks, route --accept--> WebSocket
 *                          \--refused, whoever refuses--> answer --> closed
 *
 * Node gives such a socket away for good: none of its timeouts reaches it, and a close of the server does not end it. So its
 * time is bounded here: without a WebSocket it is closed.
 */
/// <reference path="./streams/ws.d.ts" />
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@slipstream/ports';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { TAKE_IN_MS } from './malformed-requests.ts';
import type { ServerSocket } from './streams/web-socket.ts';

export interface Upgrades {
  /** Whether `accept` can make a WebSocket of it. */
  asks(request: IncomingMessage): boolean;
  /** Calls `open` with the WebSocket, unless the handshake is malformed: that is answered here. */
  accept(request: IncomingMessage, open: (socket: ServerSocket) => void): void;
}

interface Asking {
  readonly socket: Duplex;
  /** What the client sent behind the request. */
  readonly head: Buffer;
  readonly accepted: () => void;
}

/** Frames that one message may come in, and pieces that one may wait in. */
const FRAGMENTS_MAX = 16;
const CHUNKS_MAX = 1024;
/** After a close a reader has this long to take in what was sent before, and to answer. */
const CLOSE_GRACE_MS = 5_000;

export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** Which requests Node gives away to become a WebSocket. All others are answered as any request, on a connection that Node watches. */
interface UpgradeRule {
  /** For `shouldUpgradeCallback`. Another protocol that is offered (curl and Java offer h2c) is no reason not to answer. */
  mayUpgrade(request: IncomingMessage): boolean;
  watch(app: FastifyInstance): void;
}

export function createUpgradeRule(): UpgradeRule {
  const unanswered = new WeakMap<Socket, number>();
  const count = (socket: Socket, more: 1 | -1) => unanswered.set(socket, (unanswered.get(socket) ?? 0) + more);
  return {
    // Answers that are still to come would come between the messages of the WebSocket.
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

export function createUpgrades(
  { server: { app, reportFault }, clock }: UpgradeComponents,
  messageBytesMax: number,
): Upgrades {
  const handshakes = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: messageBytesMax,
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: CHUNKS_MAX,
    perMessageDeflate: false,
    closeTimeout: CLOSE_GRACE_MS,
  });
  const askings = new WeakMap<IncomingMessage, Asking>();

  app.server.on('upgrade', (request, socket, head) => {
    const destroy = () => void socket.destroy();
    const cancel = clock.after(TAKE_IN_MS, destroy);
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
    accept(request, open) {
      const asking = askings.get(request);
      if (asking === undefined) throw new Error('this request did not ask for a WebSocket');
      const { socket, head, accepted } = asking;
      handshakes.handleUpgrade(request, socket, head, (webSocket) => {
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

/** Relays requests and streams to a node. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Target {
  readonly port: number;
  /** As the node knows it. */
  readonly path: string;
}

const HOST = '127.0.0.1';
/** A client that does not read must not hold its socket for ever. */
const TAKE_IN_MS = 1_000;

/** The node's own host and origin; the gateway has checked the client. */
function headersFor({ headers }: IncomingMessage, port: number): IncomingMessage['headers'] {
  const own = { ...headers, host: `${HOST}:${port}` };
  return headers.origin === undefined ? own : { ...own, origin: `http://${HOST}:${port}` };
}

export function relayRequest(asked: IncomingMessage, reply: ServerResponse, { port, path }: Target): void {
  const options = { host: HOST, port, path, method: asked.method, headers: headersFor(asked, port) };
  const passed = request(options, (answer) => {
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(reply);
  });
  passed.once('error', () => {
    if (reply.headersSent) return void reply.destroy();
    const detail = 'The node does not answer: it is stopped, paused, or still starting.';
    const problem = { type: 'about:blank', title: 'Node unreachable', status: 503, code: 'not-ready', detail };
    reply.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' });
    reply.end(JSON.stringify(problem));
  });
  reply.once('close', () => passed.destroy());
  asked.pipe(passed);
}

/** Other offered protocols, such as h2c, get an ordinary answer. */
export function isWebSocketUpgrade({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

export function refuseUpgrade(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.write('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  closeSoon(socket);
}

/** Byte for byte, handshake included. Ends when either side does. */
export function relayUpgrade(asked: IncomingMessage, socket: Duplex, head: Buffer, { port, path }: Target): void {
  const node = connect(port, HOST, () => {
    const lines = Object.entries(headersFor(asked, port)).flatMap(([name, value]) =>
      [value ?? []].flat().map((each) => `${name}: ${each}`),
    );
    node.write(`${asked.method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    node.write(head);
    node.pipe(socket).pipe(node);
  });
  const end = () => {
    node.destroy();
    closeSoon(socket);
  };
  node.once('error', end).once('close', end);
  socket.once('error', end).once('close', end).once('end', end);
}

function closeSoon(socket: Duplex): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), TAKE_IN_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(() => socket.destroy());
}

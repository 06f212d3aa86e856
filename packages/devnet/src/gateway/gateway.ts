/**
 * The fleet console of a development network: one address for the page and all nodes.
 *
 *   /                       the console
 *   /fleet                  GET: the nodes and their faults      POST {act, nodes}: acts on them (token)
 *   /fleet/NAME/...         that node's API, streams included
 *   /v1/..., /metrics       the API of the first node that runs
 *
 * It listens on loopback only. Actions need the token that the devnet prints. A page of another site can neither read (Host is checked) nor
 * act (the token is in a header, and JSON must be declared).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Cluster, ClusterNode } from '../cluster.ts';
import { consoleFile } from './console-files.ts';
import { createFleetControl, FLEET_ACTS, FLEET_PATH, type FleetAct, type FleetControl } from './fleet-control.ts';
import { isWebSocketUpgrade, refuseUpgrade, relayRequest, relayUpgrade, type Target } from './relay.ts';

export interface Gateway {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

interface GatewayOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Undefined: no console is served. */
  readonly consoleFolder: string | undefined;
}

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 16_384;
const TOKEN_BYTES = 16;

/** Rejects when the port is taken. */
export async function startGateway(cluster: Cluster, { port, consoleFolder }: GatewayOptions): Promise<Gateway> {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const control = createFleetControl(cluster);
  const server = createServer({ shouldUpgradeCallback: isWebSocketUpgrade }, (asked, reply) => {
    answer(asked, reply).catch((error: unknown) => sendJson(reply, 500, { detail: String(error) }));
  });
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = isLocal(asked) && isOwnOrigin(asked) ? targetOf(asked.url ?? '/') : undefined;
    if (target === undefined) refuseUpgrade(socket);
    else relayUpgrade(asked, socket, head, target);
  });

  function targetOf(url: string): Target | undefined {
    const match = /^\/fleet\/([a-z0-9-]+)(\/.*)$/.exec(url);
    if (match !== null)
      return targetIn(
        cluster.nodes.find(({ name }) => name === match[1]),
        match[2] ?? '/',
      );
    if (!/^\/(?:v1\/|metrics|healthz|readyz|docs|openapi\.json|asyncapi\.json)/.test(url)) return undefined;
    return targetIn(firstRunning(cluster), url);
  }

  async function answer(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (!isLocal(asked)) return sendJson(reply, 403, { detail: 'ask for it as 127.0.0.1 or localhost' });
    const url = asked.url ?? '/';
    const path = url.split('?')[0] ?? '/';
    if (path === FLEET_PATH) return answerFleet(control, token, asked, reply);
    const target = targetOf(url);
    if (target !== undefined) return relayRequest(asked, reply, target);
    const marker = `<meta name="slipstream-fleet" content="${FLEET_PATH}">`;
    const file = consoleFolder === undefined ? undefined : await consoleFile(consoleFolder, path, marker);
    if (file === undefined) return sendJson(reply, 404, { detail: `there is nothing at ${path.slice(0, 100)}` });
    reply.writeHead(200, file.headers);
    reply.end(asked.method === 'HEAD' ? undefined : file.bytes);
  }

  await listen(server, port);
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    token,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Upgraded WebSockets no longer belong to the server.
        for (const socket of open) socket.destroy();
      }),
  };
}

async function answerFleet(
  control: FleetControl,
  token: string,
  asked: IncomingMessage,
  reply: ServerResponse,
): Promise<void> {
  if (asked.method === 'GET') return sendJson(reply, 200, { nodes: control.members() });
  if (asked.method !== 'POST') return sendJson(reply, 405, { detail: 'GET or POST' });
  if (!isToken(asked.headers.authorization, token)) {
    return sendJson(reply, 401, { detail: 'this needs the control token that the devnet printed when it started' });
  }
  const order = orderOf(asked.headers['content-type'] === 'application/json' ? await bodyOf(asked) : undefined);
  if (order === undefined) return sendJson(reply, 400, { detail: 'a JSON object {act, nodes} is expected' });
  try {
    await control.act(order.act, order.nodes);
    return sendJson(reply, 200, { nodes: control.members() });
  } catch (error) {
    return sendJson(reply, 409, { detail: error instanceof Error ? error.message : String(error) });
  }
}

function orderOf(body: unknown): { readonly act: FleetAct; readonly nodes: readonly string[] } | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { act, nodes } = body as { readonly act?: unknown; readonly nodes?: unknown };
  const known = FLEET_ACTS.find((each) => each === act);
  if (known === undefined || !Array.isArray(nodes) || nodes.some((name) => typeof name !== 'string')) return undefined;
  return { act: known, nodes };
}

/** Undefined: too long, or no JSON. */
async function bodyOf(asked: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of asked as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? '');
  const right = Buffer.from(`Bearer ${token}`);
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Other host names that resolve here would let pages of another site read. */
function isLocal({ headers }: IncomingMessage): boolean {
  return /^(?:127\.0\.0\.1|localhost)(?::[0-9]+)?$/.test(headers.host ?? '');
}

function isOwnOrigin({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}

function firstRunning({ nodes }: Cluster): ClusterNode | undefined {
  return nodes.find(({ process }) => process.running && !process.paused) ?? nodes[0];
}

function targetIn(node: ClusterNode | undefined, path: string): Target | undefined {
  return node && { port: node.apiPort, path };
}

function sendJson(reply: ServerResponse, status: number, body: unknown): void {
  reply.writeHead(status, {
    'content-type': status < 400 ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  reply.end(JSON.stringify(body));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => resolve());
  });
}

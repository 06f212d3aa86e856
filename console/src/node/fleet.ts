/**
 * The fleet behind this page's address: its nodes, and on development networks the actions on them.
 *
 *   served by a gateway:  the page's head says so (<meta name="slipstream-fleet" content="PATH">). GET PATH lists the nodes, each with
 *                         the path of its API; POST PATH acts on them, with the control token
 *   served by a node:     itself, and those of its configuration (fleet.nodes), as last received
 */
import { type Check, type MalformedItem, splitItems, type FleetNode as WatchedNode } from '@slipstream/schema';
import { relayPlace } from './chosen.ts';
import { homeClient } from './client.ts';
import { useQuery } from './use-ask.ts';

export interface FleetNode {
  readonly name: string;
  readonly validator: number | null;
  /** As in chosen.ts. */
  readonly place: string;
  /** Undefined: this page does not control the process. */
  readonly process?: 'running' | 'paused' | 'stopped' | undefined;
  readonly restarts: number;
  readonly corrupt: boolean;
  readonly cutFrom: readonly string[];
  /** Undefined: this page has its own stream from the node. */
  readonly relayed?: RelayedReport | undefined;
}

/** What the page's own node relays about another one. */
export interface RelayedReport extends Pick<WatchedNode, 'state' | 'detail' | 'sinceMs' | 'status' | 'stats'> {
  /** The page's own node. */
  readonly by: string;
  /** Where the page's own node reaches it; empty for that node itself. */
  readonly url: string;
}

export interface FleetList {
  readonly nodes: readonly FleetNode[];
  /** Entries that were left out. */
  readonly malformed: readonly MalformedItem[];
}

export type FleetAction = 'stop' | 'kill' | 'start' | 'pause' | 'resume' | 'corrupt' | 'restore' | 'partition' | 'heal';

const ASK_EVERY_MS = 2_000;
const TOKEN_KEY = 'slipstream-control';
const NODES_MAX = 100;

/** Undefined when a node serves the page. */
export function fleetPath(): string | undefined {
  const path = document.querySelector('meta[name="slipstream-fleet"]')?.getAttribute('content') ?? undefined;
  return path?.startsWith('/') ? path : undefined;
}

export function useFleet() {
  const path = fleetPath();
  return useQuery<FleetList>(
    `fleet ${path ?? 'of the own node'}`,
    (signal) => (path === undefined ? askOwnNode(signal) : askFleet(path, { signal })),
    { everyMs: ASK_EVERY_MS },
  );
}

/** Rejects with the reason as a text. */
export async function runFleetAction(act: FleetAction, nodes: readonly string[], token: string): Promise<void> {
  const path = fleetPath();
  if (path === undefined) throw new Error('there is no fleet behind this page');
  await askFleet(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ act, nodes }),
  });
}

/** The node alone is no fleet. */
async function askOwnNode(signal: AbortSignal): Promise<FleetList> {
  const { items, malformed } = await homeClient.fleet({ signal });
  if (items.length === 0) return { nodes: [], malformed };
  const own = await homeClient.status({ signal });
  const by = own.node.name;
  const nodes = [
    asWatched(by, '', { by, url: '', state: 'live', detail: null, sinceMs: 0, stats: null, status: own }),
    ...items.slice(0, NODES_MAX).map((node) => asWatched(node.name, relayPlace(node.name), { ...node, by })),
  ];
  return { nodes, malformed };
}

function asWatched(name: string, place: string, report: RelayedReport): FleetNode {
  const validator = report.status?.node.validator ?? null;
  return { name, place, validator, restarts: 0, corrupt: false, cutFrom: [], relayed: report };
}

async function askFleet(path: string, init: RequestInit): Promise<FleetList> {
  const response = await fetch(path, init);
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(detailOf(body) ?? `the fleet answered with status ${response.status}`);
  const nodes = typeof body === 'object' && body !== null && 'nodes' in body ? body.nodes : undefined;
  const { items, malformed } = splitItems(Array.isArray(nodes) ? nodes.slice(0, NODES_MAX) : [], asNode);
  return { nodes: items, malformed };
}

function detailOf(body: unknown): string | undefined {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return typeof detail === 'string' ? detail : undefined;
}

const asNode: Check<FleetNode> = (raw) => {
  const { name, path, validator, process, restarts, corrupt, cutFrom } = (raw ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string') return { ok: false, error: [{ path: '/name', message: 'must be string' }] };
  if (typeof path !== 'string' || !path.startsWith('/'))
    return { ok: false, error: [{ path: '/path', message: 'must begin with /' }] };
  return {
    ok: true,
    value: {
      name,
      place: path,
      validator: typeof validator === 'number' ? validator : null,
      process: process === 'running' || process === 'paused' || process === 'stopped' ? process : undefined,
      restarts: typeof restarts === 'number' ? restarts : 0,
      corrupt: corrupt === true,
      cutFrom: Array.isArray(cutFrom) ? cutFrom.map(String) : [],
    },
  };
};

/** It is stored for this tab; the development network prints an address with it. */
export function controlToken(): string {
  return sessionStorage.getItem(TOKEN_KEY) ?? '';
}

export function storeControlToken(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
}

import type { SimEvent } from '@slipstream/simulator';
import { QUORUM_CHECKED } from '../checkers/quorum-checks.ts';
import type { ReportedEvent } from '../checkers/watched.ts';
import type { Cluster } from './cluster.ts';

/** Not about the course of a view. */
const QUIET = new Set(['quorum.verified', 'peer.connected', 'peer.lost', 'log.restored']);

const shortened = (value: unknown) => (typeof value === 'string' && value.length === 64 ? value.slice(0, 8) : value);

export function tellTimeline(cluster: Cluster, write: (line: string) => void): void {
  const names = new Map<string, string>(cluster.nodes.map(({ peer }, index) => [peer, nameOf(cluster, index)]));
  let lastView = 0;

  function line(atMs: number, node: string, text: string): void {
    write(`${atMs.toFixed(1).padStart(10)} ms  ${(names.get(node) ?? '').padEnd(10)} ${text}`);
  }

  function onReport(atMs: number, node: string, { type, fields }: ReportedEvent): void {
    if (QUIET.has(type)) return;
    const view = Number(fields.view);
    if (type === 'view.entered' && view > lastView) {
      lastView = view;
      write(`--- view ${view}, led by ${nameOf(cluster, Number(fields.leader))}`);
    }
    const described = Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join() : String(shortened(value))}`);
    line(atMs, node, `${type} ${described.join(' ')}`);
  }

  cluster.simulation.addChecker('timeline', (event: SimEvent, { nowMs }) => {
    if (event.type === 'note' && event.name === 'report') onReport(nowMs, event.node, event.data as ReportedEvent);
    else if (event.type === 'note' && event.name === QUORUM_CHECKED)
      line(nowMs, event.node, `checked bad votes of ${event.text}`);
    else if (event.type === 'note') line(nowMs, event.node, `*** ${event.text}`);
    else if (event.type === 'started') line(nowMs, event.node, `started (life ${event.incarnation})`);
    else if (event.type === 'crashed') line(nowMs, event.node, `crashed, unsynced bytes: ${event.mode}`);
    else if (event.type === 'exited') line(nowMs, event.node, `stopped by itself: ${event.reason}`);
    else if (event.type === 'connected' || event.type === 'disconnected') {
      line(nowMs, event.from, `${event.type}: ${names.get(event.to) ?? event.to.slice(0, 8)}`);
    }
  });
}

function nameOf(cluster: Cluster, index: number): string {
  if (index >= cluster.members.length) return `observer ${index}`;
  return cluster.honest.includes(index) ? `member ${index}` : `BYZANT. ${index}`;
}

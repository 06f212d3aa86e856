import { counted } from '@slipstream/primitives';
import { nameOf, type WatchedNode } from './model.ts';

/** A node sends a summary each second: three missing ones are more than a delay. */
const STALE_MS = 3000;
const BARS = '▁▂▃▄▅▆▇█';

export function linesOf(seen: WatchedNode, nowMs: number): readonly string[] {
  const { status } = seen;
  if (status === undefined) return [connectionText(seen, nowMs)];
  const role = status.node.validator === null ? 'full node' : `validator ${status.node.validator}`;
  return [
    `${status.node.name} · ${role} of ${status.chain} · ${connectionText(seen, nowMs)}`,
    '',
    ...statsLines(seen),
    '',
    ...peerLines(seen),
    '',
    ...alertLines(seen),
    ...(seen.notes.length > 0 ? ['', ...seen.notes.map(({ atMs, text }) => `  ${clockText(atMs)}  ${text}`)] : []),
  ];
}

/** One line, for output that is no screen. */
export function summaryOf(seen: WatchedNode, nowMs: number): string {
  const { stats, alerts } = seen;
  if (stats === undefined) return `${clockText(nowMs)} ${connectionText(seen, nowMs)}`;
  const rules = alerts.size === 0 ? 'no alerts' : `ALERTS ${[...alerts.keys()].join(', ')}`;
  return (
    `${clockText(nowMs)} height ${stats.height}, ${stats.blocksPerSecond.toFixed(1)} blocks/s, ` +
    `${stats.transactionsPerSecond.toFixed(0)} tx/s, ${counted(stats.peers.connected, 'peer')}, ${rules}`
  );
}

function connectionText({ connection, statsAtMs }: WatchedNode, nowMs: number): string {
  switch (connection.type) {
    case 'connecting':
      return connection.attempt === 1 ? 'connecting' : `connecting, attempt ${connection.attempt}`;
    case 'lost':
      return `LOST: ${connection.reason}; retry in ${(connection.retryInMs / 1000).toFixed(1)} s`;
    case 'closed':
      return 'closed';
    case 'live': {
      const sinceMessageMs = statsAtMs === undefined ? 0 : nowMs - statsAtMs;
      return sinceMessageMs > STALE_MS ? `STALE: no message for ${Math.round(sinceMessageMs / 1000)} s` : 'live';
    }
  }
}

function statsLines({ stats, blockRates }: WatchedNode): readonly string[] {
  if (stats === undefined) return ['  no statistics yet'];
  const times = (of: { p50: number; p95: number; p99: number } | null) =>
    of === null ? 'none yet' : `p50 ${of.p50.toFixed(0)}  p95 ${of.p95.toFixed(0)}  p99 ${of.p99.toFixed(0)} ms`;
  return [
    `  height      ${stats.height} committed   ${stats.finalHeight} ordered   ${stats.certifiedHeight} certified   view ${stats.view}`,
    `  block time  ${times(stats.blockTimeMs)}   ${stats.blocksPerSecond.toFixed(1)}/s  ${barsOf(blockRates)}`,
    `  finality    ${times(stats.finalityMs)}`,
    `  traffic     ${stats.transactionsPerSecond.toFixed(0)} tx/s   ${stats.mempool.transactions} in the mempool (${stats.mempool.bytes} bytes)`,
  ];
}

function peerLines({ peers, stats }: WatchedNode): readonly string[] {
  const validators = [...peers.values()]
    .filter(({ validator }) => validator !== null)
    .sort((a, b) => (a.validator as number) - (b.validator as number));
  const cells = validators.map((peer) => {
    if (peer.blocked !== null) return `${nameOf(peer)} BLOCKED (${peer.blocked.reason})`;
    return peer.connected ? `${nameOf(peer)} ${(peer.roundTripMs ?? 0).toFixed(0)} ms` : `${nameOf(peer)} OFFLINE`;
  });
  const blocked = stats === undefined ? '' : `, ${stats.peers.blocked} blocked`;
  return [`  peers       ${stats?.peers.connected ?? 0} connected${blocked}`, ...cells.map((cell) => `    ${cell}`)];
}

function alertLines({ alerts }: WatchedNode): readonly string[] {
  if (alerts.size === 0) return ['  alerts      none'];
  return [...alerts.values()].flatMap(({ severity, message, remedy }) => [
    `  ${severity.toUpperCase()}  ${message}`,
    `      -> ${remedy}`,
  ]);
}

function barsOf(values: readonly number[]): string {
  const top = Math.max(...values, 1e-9);
  return values.map((value) => BARS[Math.round((value / top) * (BARS.length - 1))]).join('');
}

function clockText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

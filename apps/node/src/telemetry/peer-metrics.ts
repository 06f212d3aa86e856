/** The peers table in /metrics: validators by index. Full nodes are in the sums by lane, since their keys are free. */
import type { Telemetry } from '@slipstream/ports';
import type { Peer } from '@slipstream/schema';

const gauge = (metric: string) => metric;

/** By field of Peer that is no name; metrics without `slipstream_`. */
export const PEER_METRICS: Readonly<Partial<Record<keyof Peer, string>>> = {
  connected: gauge('network_peer_connected'),
  blocked: gauge('network_peer_blocked'),
  roundTripMs: gauge('network_peer_round_trip_ms'),
  bytesIn: gauge('network_peer_received_bytes'),
  bytesOut: gauge('network_peer_sent_bytes'),
  framesDropped: gauge('network_peer_dropped_frames'),
  queuedBytes: gauge('network_peer_queued_bytes'),
  votesSeen: gauge('consensus_peer_votes'),
  votesLate: gauge('consensus_peer_late_votes'),
};

export function reportPeers(telemetry: Pick<Telemetry, 'gauge'>, peers: readonly Peer[]): void {
  for (const peer of peers) {
    if (peer.validator === null) continue;
    const labels = { validator: String(peer.validator) };
    for (const [field, metric] of Object.entries(PEER_METRICS)) {
      telemetry.gauge(metric, numberOf(peer[field as keyof Peer]), labels);
    }
  }
}

/** NaN while unknown, or the last value would stay. */
function numberOf(value: Peer[keyof Peer]): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return value !== null && typeof value === 'object' ? 1 : Number.NaN;
}

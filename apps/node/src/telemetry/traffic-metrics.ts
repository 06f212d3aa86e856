import type { NetworkTransport } from '@slipstream/network';
import type { Telemetry } from '@slipstream/ports';

type Traffic = ReturnType<NetworkTransport['traffic']>;

/** Call once per second. */
export function createTrafficMetrics({ count }: Pick<Telemetry, 'count'>): (traffic: Traffic) => void {
  let before: Traffic | undefined;
  return (traffic) => {
    for (const [lane, now] of Object.entries(traffic)) {
      const then = before?.[lane as keyof Traffic];
      count('network_received_bytes_total', now.bytesIn - (then?.bytesIn ?? 0), { lane });
      count('network_sent_bytes_total', now.bytesOut - (then?.bytesOut ?? 0), { lane });
      count('network_received_frames_total', now.framesIn - (then?.framesIn ?? 0), { lane });
      count('network_sent_frames_total', now.framesOut - (then?.framesOut ?? 0), { lane });
    }
    before = traffic;
  };
}

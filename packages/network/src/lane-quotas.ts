/**
 * Quotas of peers by lane. A validator's quotas outlive its connections, or each new one would bring a burst. Full nodes can use any key,
 * so theirs belong to the connection and are small.
 */
import type { Lane, PeerKey } from '@slipstream/ports';
import type { MonotonicClock } from '@slipstream/primitives';
import type { Role, Settings } from './options.ts';
import { createTrafficQuota, type TrafficQuota } from './traffic-quota.ts';

export type LaneQuotas = (peer: PeerKey, role: Role, lane: Lane) => TrafficQuota;

export function createLaneQuotas({ quotasOf }: Pick<Settings, 'quotasOf'>, clock: MonotonicClock): LaneQuotas {
  /** By peer and lane; bounded by the committees of this process's epochs. */
  const ofValidators = new Map<string, TrafficQuota>();
  return (peer, role, lane) => {
    const key = `${peer} ${lane}`;
    const known = role === 'validator' ? ofValidators.get(key) : undefined;
    if (known !== undefined) return known;
    const quota = createTrafficQuota(clock, quotasOf[role][lane]);
    if (role === 'validator') ofValidators.set(key, quota);
    return quota;
  };
}

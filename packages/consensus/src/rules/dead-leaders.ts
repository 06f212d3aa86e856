/**
 * Rule 5b: no node waits for a leader that is blocked here or dead.
 *
 *   blocked here -----------------------------------------------------.
 *   no frame of it for skipAfterMs, and a quorum active all that time --+--> no live proposal: Nullify(v) at once
 *
 * SAFETY AND LIVENESS: consensus.md, rule 5b, and docs/decisions/0043.
 */
import { isQuorum } from '@slipstream/types';
import { type Context, wakeAt } from '../context.ts';
import { HEARTBEAT_MS } from '../options.ts';

/** A member is active while its last frame is younger: two of its heartbeats may be lost or late. */
const ACTIVE_MS = 3 * HEARTBEAT_MS;

/**
 * Once per heartbeat: since when a quorum has been active here without a break. A node that was paused or cut off received no frames of
 * any member, which proves nothing about a leader.
 */
export function watchQuorum(context: Context): void {
  const lateMs = context.nowMs - context.heartbeatAtMs;
  if (lateMs < 0) return;
  if (lateMs > ACTIVE_MS || !isQuorumActive(context)) context.quorumSinceMs = context.nowMs;
}

function isQuorumActive({ setting: { committee, self }, lastMessageMs, nowMs }: Context): boolean {
  let active = 0;
  for (const { index, weight } of committee.members) {
    if (index === self || nowMs - (lastMessageMs[index] ?? 0) < ACTIVE_MS) active += weight;
  }
  return isQuorum(active, committee);
}

/** Why the leader of the current view is not waited for; undefined: it is. */
export function leaderFault(context: Context): string | undefined {
  const { blockList, lastMessageMs, quorumSinceMs, nowMs, setting } = context;
  const { skipAfterMs } = setting.options;
  const leader = context.leaderOf(context.view);
  if (leader === setting.self) return undefined;
  if (blockList.isBlocked(leader)) return 'the leader is blocked by this node';
  const deadAtMs = Math.max(lastMessageMs[leader] ?? 0, quorumSinceMs) + skipAfterMs;
  if (nowMs >= deadAtMs) return `no message from the leader for ${skipAfterMs / 1000} s`;
  wakeAt(context, deadAtMs);
  return undefined;
}

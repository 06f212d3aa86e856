/** Whether a stream's reader has stopped reading: asked once a heartbeat. */

/** Heartbeats in a row at which a reader had taken nothing of what waits for it. */
const STALLED_HEARTBEATS_MAX = 6;

/** Each call is one heartbeat; true once nothing was read for too many of them. */
export function createStallWatch(unsentBytes: () => number): () => boolean {
  let before = 0;
  let heartbeats = 0;
  return () => {
    const unsent = unsentBytes();
    heartbeats = unsent > 0 && unsent >= before ? heartbeats + 1 : 0;
    before = unsent;
    return heartbeats >= STALLED_HEARTBEATS_MAX;
  };
}

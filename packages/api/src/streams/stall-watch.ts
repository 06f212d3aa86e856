/** Without progress of the reader. */
const STALLED_HEARTBEATS_MAX = 6;

/** Call the result once per heartbeat; true: the reader has stalled. */
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

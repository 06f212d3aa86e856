/** Offers under judgement: each holds its bytes until its check. */
import type { PeerKey } from '@slipstream/ports';

/** Two of the largest batches, or forty of the usual ones. */
export const JUDGED_OF_BROKER_BYTES_MAX = 2 * 1024 * 1024;
/** Of all brokers. */
export const JUDGED_BYTES_MAX = 8 * 1024 * 1024;

interface JudgedBounds {
  /** False: too much of the broker, or of all others than the own one, is under judgement. */
  enter(broker: PeerKey, bytes: number, isOwn: boolean): boolean;
  leave(broker: PeerKey, bytes: number): void;
}

export function createJudgedBounds(): JudgedBounds {
  const ofBroker = new Map<PeerKey, number>();
  let all = 0;
  return {
    enter(broker, bytes, isOwn) {
      const own = (ofBroker.get(broker) ?? 0) + bytes;
      const isOver = !isOwn && all + bytes > JUDGED_BYTES_MAX;
      if (own > JUDGED_OF_BROKER_BYTES_MAX || isOver) return false;
      ofBroker.set(broker, own);
      all += bytes;
      return true;
    },
    leave(broker, bytes) {
      const left = (ofBroker.get(broker) ?? 0) - bytes;
      if (left > 0) ofBroker.set(broker, left);
      else ofBroker.delete(broker);
      all -= bytes;
    },
  };
}

/** A bounded queue to another thread. A port queues without a bound, so the sender counts, and the receiver reports handled messages. */
import { ThreadError } from './errors.ts';

export interface QueueRule {
  readonly messagesMax: number;
  readonly bytesMax: number;
  /**
   * `refuse`: ThreadError `queue-full`. `drop`: dropped and counted. `fail`: the node stops, because its own rules should keep the queue
   * below the maximum.
   */
  readonly whenFull: 'refuse' | 'drop' | 'fail';
}

export interface QueueStats {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
  readonly dropped: number;
}

export interface SendQueue {
  readonly name: string;
  /** False: dropped. Throws ThreadError `queue-full`. */
  enter(bytes: number): boolean;
  leave(messages: number, bytes: number): void;
  stats(): QueueStats;
}

export function createSendQueue(name: string, rule: QueueRule, onOverflow: (error: ThreadError) => void): SendQueue {
  let messages = 0;
  let held = 0;
  let dropped = 0;

  function enter(bytes: number): boolean {
    // A message larger than the whole queue passes when the queue is empty.
    const isFull = messages >= rule.messagesMax || (messages > 0 && held + bytes > rule.bytesMax);
    if (!isFull) {
      messages += 1;
      held += bytes;
      return true;
    }
    if (rule.whenFull === 'drop') {
      dropped += 1;
      return false;
    }
    const text = `the queue ${name} holds ${messages} messages and ${held} bytes, its maximum: offer less or later`;
    const error = new ThreadError('queue-full', text, { queue: name, messages, bytes: held });
    if (rule.whenFull === 'fail') onOverflow(error);
    throw error;
  }

  return {
    name,
    enter,
    leave(count, bytes) {
      messages -= count;
      held -= bytes;
    },
    stats: () => ({ name, messages, bytes: held, dropped }),
  };
}

/** The border of the console: messages of the node are checked against their schemas, once, here. */
import {
  type Check,
  createCheck,
  EVENT_TYPES,
  EVENTS,
  type EventType,
  isEventType,
  type StreamEvent,
  type StreamFullState,
  StreamStateSchema,
} from '@slipstream/schema';

/** unknown: of a newer node, and none of our business. */
export type Verdict = 'valid' | 'unknown' | 'malformed';

export interface MessageChecks {
  state(message: StreamFullState): Verdict;
  event(message: StreamEvent): Verdict;
}

export function createMessageChecks(): MessageChecks {
  const checkState = createCheck(StreamStateSchema);
  const checks = new Map<EventType, Check<unknown>>(
    EVENT_TYPES.map((type): [EventType, Check<unknown>] => [type, createCheck(EVENTS[type].data)]),
  );

  function event({ event, atMs }: StreamEvent): Verdict {
    if (typeof event !== 'object' || event === null || !Number.isFinite(atMs)) return 'malformed';
    if (!isEventType(event.type)) return 'unknown';
    return checks.get(event.type)?.(event.data).ok === true ? 'valid' : 'malformed';
  }

  return { state: ({ state }) => (checkState(state).ok ? 'valid' : 'malformed'), event };
}

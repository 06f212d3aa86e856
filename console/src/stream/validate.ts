/** Checks messages once, where they enter the console. */
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

/** unknown: from a newer node. */
export type Verdict = 'valid' | 'unknown' | 'malformed';

interface MessageChecks {
  /** Without unknown parts of its past; undefined: no match. */
  state(message: StreamFullState): StreamFullState | undefined;
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

  function state(message: StreamFullState): StreamFullState | undefined {
    const { past } = message.state;
    const known = Array.isArray(past?.events) ? past.events.filter((each) => event(each) === 'valid') : undefined;
    const state = past && known ? { ...message.state, past: { ...past, events: known } } : message.state;
    return checkState(state).ok ? { ...message, state } : undefined;
  }

  return { state, event };
}

/** Handlers of an event. One that throws is reported; the others still get the event. */
import type { Telemetry } from '@slipstream/ports';

export interface Broadcast<Event> {
  add(handler: (event: Event) => void): void;
  send(event: Event): void;
}

export function createBroadcast<Event>(telemetry: Telemetry): Broadcast<Event> {
  const handlers: ((event: Event) => void)[] = [];
  return {
    add(handler) {
      handlers.push(handler);
    },
    send(event) {
      for (const handler of handlers) {
        try {
          handler(event);
        } catch (error) {
          telemetry.log('error', 'pipeline: a subscriber failed', { error: String(error) });
        }
      }
    },
  };
}

/** Handlers of an event. One that throws is reported; the others still get the event. */
import type { Telemetry } from '@slipstream/ports';

export interface Broadcast<News> {
  add(handler: (news: News) => void): void;
  send(news: News): void;
}

export function createBroadcast<News>(telemetry: Telemetry): Broadcast<News> {
  const handlers: ((news: News) => void)[] = [];
  return {
    add(handler) {
      handlers.push(handler);
    },
    send(news) {
      for (const handler of handlers) {
        try {
          handler(news);
        } catch (error) {
          telemetry.log('error', 'pipeline: a subscriber failed', { error: String(error) });
        }
      }
    },
  };
}

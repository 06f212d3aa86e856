/** HTML standard, 9.2: one message per event; its id is the resume token. */
import type { ServerResponse } from 'node:http';
import { resumeToken } from '@slipstream/schema';
import {
  openStreamSession,
  type StreamComponents,
  type StreamLimits,
  type StreamSession,
  type StreamSubscription,
} from './stream-session.ts';

/** For the reader to take in the bye. */
const CLOSE_GRACE_MS = 5_000;
/** Before the browser reconnects. */
const RETRY_MS = 1_000;

/** A reader can resume after them. */
const PLACES: ReadonlySet<string> = new Set(['state', 'event', 'heartbeat']);

export function serveEvents(
  components: StreamComponents,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  subscription: StreamSubscription,
  limits: StreamLimits,
): StreamSession {
  const { hub, clock } = components;
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  response.write(`retry: ${RETRY_MS}\n\n`);
  const session = openStreamSession(
    components,
    {
      send: (text, sequence, type) => {
        const id = PLACES.has(type) ? `id: ${resumeToken(hub.run, sequence)}\n` : '';
        response.write(`${id}event: ${type}\ndata: ${text}\n\n`);
      },
      unsentBytes: () => response.writableLength,
      onRoom: (listener) => response.on('drain', listener),
      end: () => {
        response.end();
        clock.after(CLOSE_GRACE_MS, () => response.destroy());
      },
    },
    subscription,
    limits,
  );
  response.on('close', () => session.gone());
  return session;
}

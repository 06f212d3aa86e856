/** A reader may only send `subscribe`, at a limited rate. */
import type { Clock } from '@slipstream/ports';
import { createTokenBucket, fail, ok, type Rate, type Result } from '@slipstream/primitives';
import { BYE_CLOSE_CODES, type ByeReason, type StreamRequest, StreamRequestSchema } from '@slipstream/schema';
import { createCompiledCheck } from '../compiled-check.ts';
import {
  openStreamSession,
  type StreamComponents,
  type StreamLimits,
  type StreamSession,
  type StreamSubscription,
} from './stream-session.ts';

export interface ServerSocket {
  readonly bufferedAmount: number;
  send(message: string | Uint8Array, sent: () => void): void;
  /** Ends within a few seconds (upgrades.ts). */
  close(code: number, reason: string): void;
  terminate(): void;
  ping(): void;
  on(event: 'message', listener: (data: Uint8Array, isBinary: boolean) => void): void;
  on(event: 'close' | 'error' | 'pong', listener: () => void): void;
}

/** Far above `subscribe` with all topics. */
const REQUEST_BYTES_MAX = 4 * 1024;
/** Far above a page that changes topics on every click. */
const MESSAGE_RATE: Rate = { perSecond: 5, burst: 50 };

const checkRequest = createCompiledCheck(StreamRequestSchema);

export function serveWebSocket(
  components: StreamComponents,
  socket: ServerSocket,
  subscription: StreamSubscription,
  limits: StreamLimits,
): StreamSession {
  const { clock } = components;
  let tellRoom = () => {};
  const carrier = {
    send: (text: string) => socket.send(text, () => tellRoom()),
    onRoom: (listener: () => void) => {
      tellRoom = listener;
    },
    unsentBytes: () => socket.bufferedAmount,
    end: (reason: keyof typeof BYE_CLOSE_CODES, detail: string) => {
      socket.close(BYE_CLOSE_CODES[reason], `${reason}: ${detail}`.slice(0, 120));
    },
  };
  const session = openStreamSession(components, carrier, subscription, limits);
  const readSubscribe = createSubscribeReader(clock);
  socket.on('message', (data, isBinary) => {
    const read = readSubscribe(data, isBinary);
    if (read.ok) session.subscribe(read.value.topics);
    else session.end(read.error.reason, read.error.detail);
  });
  socket.on('close', () => session.gone());
  return session;
}

/** Fails for other messages, or above the rate. */
export function createSubscribeReader(clock: Pick<Clock, 'monotonicMs'>) {
  const messages = createTokenBucket(clock, MESSAGE_RATE);
  return (
    data: Uint8Array,
    isBinary: boolean,
  ): Result<StreamRequest, { readonly reason: ByeReason; readonly detail: string }> => {
    if (!messages.take()) {
      const { burst, perSecond } = MESSAGE_RATE;
      return fail({ reason: 'too-many-messages', detail: `more than ${burst} and ${perSecond} per second` });
    }
    const request = isBinary || data.length > REQUEST_BYTES_MAX ? undefined : parseRequest(data);
    if (request !== undefined) return ok(request);
    return fail({ reason: 'malformed-message', detail: 'only {"type":"subscribe","topics":[...]} is understood' });
  };
}

function parseRequest(data: Uint8Array) {
  try {
    const checked = checkRequest(JSON.parse(new TextDecoder().decode(data)));
    return checked.ok ? checked.value : undefined;
  } catch {
    return undefined;
  }
}

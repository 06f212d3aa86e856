/**
 * Relays another node's event stream unchanged, resume included.
 *
 *   reader <--texts-- this node <--texts-- node of the fleet         reader --subscribe--> this node --> node of the fleet
 *
 * A slow reader is dropped. Without the other node the reader gets `bye` with reason upstream.
 */
import type { Clock } from '@slipstream/ports';
import type { ByeReason } from '@slipstream/schema';
import { BYE_CLOSE_CODES } from '@slipstream/schema';
import type { OpenStream } from './open-streams.ts';
import { createSubscribeReader, type ServerSocket } from './web-socket.ts';

export interface RelayTarget {
  readonly name: string;
  readonly url: string;
}

interface RelayLimits {
  /** Per reader: above a full state of a large committee. */
  readonly relayBufferBytesMax: number;
  /** For the other node to accept the connection. */
  readonly relayConnectMs: number;
}

/** Subscriptions before the other node accepts. */
const EARLY_MESSAGES_MAX = 8;

export function relayStream(
  { clock }: { readonly clock: Clock },
  socket: ServerSocket,
  { name, url }: RelayTarget,
  search: string,
  limits: RelayLimits,
): OpenStream {
  const upstream = new WebSocket(`${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/v1/stream${search}`);
  const early: string[] = [];
  const readSubscribe = createSubscribeReader(clock);
  let open = true;
  let said = false;
  const cancelConnect = clock.after(limits.relayConnectMs, () => {
    if (upstream.readyState !== WebSocket.OPEN) end('upstream', `${name} does not answer`);
  });

  upstream.addEventListener('open', () => {
    for (const text of early.splice(0)) upstream.send(text);
  });
  upstream.addEventListener('message', ({ data }) => {
    if (!open || typeof data !== 'string') return;
    said = data.startsWith('{"type":"bye"');
    socket.send(data, () => {});
    if (socket.bufferedAmount > limits.relayBufferBytesMax) end('slow', `${name} says more than is read`);
  });
  upstream.addEventListener('close', ({ code, reason }) =>
    end('upstream', reason || `${name} closed with code ${code}`),
  );
  upstream.addEventListener('error', () => {});

  socket.on('message', (data, isBinary) => {
    const read = readSubscribe(data, isBinary);
    if (!read.ok) return end(read.error.reason, read.error.detail);
    const text = JSON.stringify(read.value);
    if (upstream.readyState === WebSocket.OPEN) upstream.send(text);
    else if (early.length < EARLY_MESSAGES_MAX) early.push(text);
  });
  socket.on('close', gone);

  return { end };

  function end(reason: ByeReason, detail: string): void {
    if (!open) return;
    if (!said) socket.send(JSON.stringify({ type: 'bye', reason, detail, sequence: 0 }), () => {});
    gone();
    socket.close(BYE_CLOSE_CODES[reason], `${reason}: ${detail}`.slice(0, 120));
  }

  function gone(): void {
    if (!open) return;
    open = false;
    cancelConnect();
    upstream.close();
  }
}

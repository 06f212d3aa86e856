/** Carries binary messages between a client and the node's broker, which knows what they mean. */
import type { Clock } from '@slipstream/ports';
import type { OpenStream } from './open-streams.ts';
import type { ServerSocket } from './web-socket.ts';

/** Of one client. */
interface DistillCarrier {
  send(bytes: Uint8Array): void;
  /** Not yet handed to the operating system. */
  unsentBytes(): number;
  /** `code`: of the WebSocket. */
  close(code: number, reason: string): void;
  /** At once; frees what is unsent. */
  terminate(): void;
}

export interface DistillStream {
  /** The bytes are the stream's. */
  message(bytes: Uint8Array): void;
  /** The carrier is closed. Idempotent. */
  closed(): void;
  /** The node stops. Idempotent. */
  stop(detail: string): void;
  notBinary(): void;
}

export interface DistillBroker {
  /** Of a client's message. */
  readonly messageBytesMax: number;
  /** Undefined: it takes no further stream now. `address`: who pays for the login. */
  open(carrier: DistillCarrier, address: string): DistillStream | undefined;
}

interface DistillComponents {
  readonly broker: DistillBroker;
  readonly clock: Clock;
}

interface DistillOptions {
  /** Who pays for the login. */
  readonly address: string;
  readonly pingMs: number;
}

/** Undefined: the broker takes no further stream. */
export function serveDistill(
  { broker, clock }: DistillComponents,
  socket: ServerSocket,
  { address, pingMs }: DistillOptions,
): OpenStream | undefined {
  const stream = broker.open(
    {
      send: (bytes) => socket.send(bytes, () => {}),
      unsentBytes: () => socket.bufferedAmount,
      close: (code, reason) => socket.close(code, reason),
      terminate: () => socket.terminate(),
    },
    address,
  );
  if (stream === undefined) return undefined;
  socket.on('message', (data, isBinary) => {
    if (isBinary) stream.message(data);
    else stream.notBinary();
  });
  socket.on('close', () => stream.closed());
  terminateUnresponsive(socket, clock, pingMs);
  return { end: (_, detail) => stream.stop(detail) };
}

/** A half-open connection would keep its place, and its accounts, for as long as nothing is sent. */
function terminateUnresponsive(socket: ServerSocket, clock: Clock, pingMs: number): void {
  let isResponsive = true;
  let cancel = clock.after(pingMs, ping);

  function ping(): void {
    if (!isResponsive) return socket.terminate();
    isResponsive = false;
    socket.ping();
    cancel = clock.after(pingMs, ping);
  }

  socket.on('pong', () => {
    isResponsive = true;
  });
  socket.on('close', () => cancel());
}

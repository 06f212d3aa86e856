/**
 * One direction of a TCP connection through a proxy: bytes are delayed, throttled or stopped, in order, and never lost.
 *
 *   socket --data--> queue (bounded: reading pauses) --due, allowed, not stopped--> other socket
 *
 * TCP sends lost packets again, so a cut link stalls, and its bytes arrive when it heals.
 */
import type { Socket } from 'node:net';

/** For bytes from one node to another. */
export interface LinkConditions {
  readonly stopped: boolean;
  readonly delayMs: number;
  /** Added to the delay: uniform, up to this. */
  readonly jitterMs: number;
  readonly bytesPerSecond: number;
}

export const CLEAR: LinkConditions = {
  stopped: false,
  delayMs: 0,
  jitterMs: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
};

export interface Direction {
  changed(): void;
  stop(): void;
}

/** Per direction; beyond it the sender's buffers fill, as on a slow link. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;
/** Duration of a piece on a throttled link. */
const PIECE_MS = 50;

export function forward(from: Socket, to: Socket, conditions: () => LinkConditions): Direction {
  const held: { readonly bytes: Buffer; readonly dueMs: number }[] = [];
  let heldBytes = 0;
  let lastDueMs = 0;
  let freeAtMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  function take(bytes: Buffer): void {
    const { delayMs, jitterMs } = conditions();
    lastDueMs = Math.max(lastDueMs, performance.now() + delayMs + Math.random() * jitterMs);
    held.push({ bytes, dueMs: lastDueMs });
    heldBytes += bytes.length;
    if (heldBytes > HELD_BYTES_MAX) from.pause();
    pump();
  }

  function pump(): void {
    clearTimeout(timer);
    const { stopped, bytesPerSecond } = conditions();
    if (stopped || to.destroyed) return;
    for (let head = held[0]; head !== undefined; head = held[0]) {
      const nowMs = performance.now();
      const waitMs = Math.max(head.dueMs, freeAtMs) - nowMs;
      if (waitMs > 0) {
        timer = setTimeout(pump, Math.ceil(waitMs));
        return;
      }
      send(head.bytes, head.dueMs, bytesPerSecond, nowMs);
    }
    if (ended) to.end();
  }

  function send(bytes: Buffer, dueMs: number, bytesPerSecond: number, nowMs: number): void {
    const most = Number.isFinite(bytesPerSecond) ? Math.max(1, (bytesPerSecond * PIECE_MS) / 1000) : bytes.length;
    const piece = bytes.subarray(0, most);
    held.shift();
    if (piece.length < bytes.length) held.unshift({ bytes: bytes.subarray(piece.length), dueMs });
    heldBytes -= piece.length;
    freeAtMs = nowMs + (piece.length * 1000) / bytesPerSecond;
    to.write(piece);
    if (heldBytes <= HELD_BYTES_MAX && from.isPaused()) from.resume();
  }

  from.on('data', take);
  from.on('end', () => {
    ended = true;
    pump();
  });
  return {
    changed: pump,
    stop() {
      clearTimeout(timer);
      held.length = 0;
    },
  };
}

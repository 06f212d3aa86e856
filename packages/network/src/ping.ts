/**
 * Round trips and liveness of one connection.
 *
 * Each side writes an 8-byte number on its own stream every intervalMs, which the peer echoes. A connection is dead when nothing arrived,
 * or could be written, for timeoutMs: TCP alone needs a quarter of an hour.
 */
import type { Stream, StreamMessageEvent } from '@libp2p/interface';
import type { Clock } from '@slipstream/ports';
import { uint64le } from '@slipstream/primitives';
import { trySend } from './closing.ts';
import type { DelayLine } from './delay-line.ts';
import type { PingPolicy } from './limits.ts';

const PING_BYTES = 8;
/** Weight of a new sample (RFC 6298). */
const SMOOTHING = 1 / 8;

export interface Pinger {
  received(): void;
  readonly roundTripMs: number | undefined;
  stop(): void;
}

interface PingerComponents {
  readonly clock: Clock;
  readonly stream: Stream;
  delayLine(deliver: (bytes: Uint8Array) => void): DelayLine<Uint8Array> | undefined;
  dead(): void;
}

export function createPinger({ clock, stream, delayLine, dead }: PingerComponents, policy: PingPolicy): Pinger {
  let sequence = 0;
  let sentMs = 0;
  let answered = true;
  let roundTripMs: number | undefined;
  let lastMessageMs = clock.monotonicMs();
  let drainedMs = lastMessageMs;
  let heartbeatMs = lastMessageMs;
  let cancel: (() => void) | undefined;

  function judge(pong: Uint8Array): void {
    lastMessageMs = clock.monotonicMs();
    const number = new DataView(pong.buffer, pong.byteOffset).getBigUint64(0, true);
    if (answered || number !== BigInt(sequence)) return;
    answered = true;
    const sampleMs = lastMessageMs - sentMs;
    roundTripMs = roundTripMs === undefined ? sampleMs : roundTripMs + SMOOTHING * (sampleMs - roundTripMs);
  }

  const delayed = delayLine(judge);
  const receive = readPings((pong) => (delayed === undefined ? judge(pong) : delayed.push(pong)));

  function sendHeartbeat(): void {
    const nowMs = clock.monotonicMs();
    // After a pause of this process, the peer's data is still unread.
    if (nowMs - heartbeatMs > 2 * policy.intervalMs) lastMessageMs = drainedMs = nowMs;
    heartbeatMs = nowMs;
    if (!stream.writableNeedsDrain) drainedMs = nowMs;
    if (nowMs - Math.min(lastMessageMs, drainedMs) > policy.timeoutMs) {
      dead();
      return;
    }
    if (answered && !stream.writableNeedsDrain) {
      sequence++;
      sentMs = nowMs;
      answered = false;
      trySend(stream, uint64le(sequence));
    }
    cancel = clock.after(policy.intervalMs, sendHeartbeat);
  }

  function drained(): void {
    drainedMs = clock.monotonicMs();
  }

  stream.addEventListener('message', receive);
  stream.addEventListener('drain', drained);
  sendHeartbeat();

  return {
    received() {
      lastMessageMs = clock.monotonicMs();
    },
    get roundTripMs() {
      return roundTripMs;
    },
    stop() {
      cancel?.();
      delayed?.clear();
      stream.removeEventListener('message', receive);
      stream.removeEventListener('drain', drained);
    },
  };
}

/** Of pings that arrive together only the newest is answered, so a flood is not amplified. */
export function answerPings(
  stream: Stream,
  delayLine: (deliver: (bytes: Uint8Array) => void) => DelayLine<Uint8Array> | undefined,
): () => void {
  function answer(ping: Uint8Array): void {
    if (!stream.writableNeedsDrain) trySend(stream, ping);
  }
  const delayed = delayLine(answer);
  const receive = readPings((ping) => (delayed === undefined ? answer(ping) : delayed.push(ping)));
  stream.addEventListener('message', receive);
  return () => {
    delayed?.clear();
    stream.removeEventListener('message', receive);
  };
}

function readPings(hand: (ping: Uint8Array) => void): (event: StreamMessageEvent) => void {
  let partial = new Uint8Array(PING_BYTES);
  let filled = 0;
  return (event) => {
    let last: Uint8Array | undefined;
    const bytes = event.data.subarray();
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(PING_BYTES - filled, bytes.length - at);
      partial.set(bytes.subarray(at, at + length), filled);
      filled += length;
      at += length;
      if (filled === PING_BYTES) {
        last = partial;
        partial = new Uint8Array(PING_BYTES);
        filled = 0;
      }
    }
    if (last !== undefined) hand(last);
  };
}

/**
 * One connection to a broker: login, then messages, until either side ends it or the broker breaks the protocol.
 *
 *   opening --challenge--> login signed and sent --welcome--> live --end, cut, fault--> ended
 *
 * The broker is not trusted: messages are bounded in size and rate, and one out of form or order ends the session.
 */
import {
  type BrokerMessage,
  type Challenge,
  type ClientMessage,
  decodeBrokerMessage,
  encodeClientMessage,
  loginMessage,
  type Welcome,
} from '@slipstream/distilled/stream';
import { bytesEqual } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { webSocketUrl } from '../stream-socket.ts';
import type { BrokerSocketConstructor } from './broker-socket.ts';
import type { BrokerFault } from './options.ts';

export type LiveMessage = Exclude<BrokerMessage, { readonly name: 'challenge' | 'welcome' | 'end' }>;

export interface SessionListeners {
  onWelcome(welcome: Welcome): void;
  onMessage(message: LiveMessage): void;
  /** Once. Nothing follows. */
  onEnd(code: BrokerFault, reason: string): void;
}

export interface BrokerSession {
  readonly isLive: boolean;
  /** False: the socket has too much to send; try later. */
  send(message: ClientMessage): boolean;
  /** Ends it, with a fault of the broker. Idempotent. */
  fail(code: BrokerFault, reason: string): void;
  /** Without telling listeners. Idempotent. */
  close(): void;
}

interface SessionComponents {
  readonly WebSocket: BrokerSocketConstructor;
  readonly genesisHash: GenesisHash;
  /** Ascending. */
  readonly indices: Uint32Array;
  /** 96 bytes, by the sum of the secrets of all indices. */
  readonly signLogin: (message: Uint8Array) => Promise<Uint8Array>;
  readonly timeoutMs: number;
}

const DISTILL_PATH = '/v1/distill';
/** Not yet sent. A message of rows has a megabyte at most. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;
/** A broker closes four windows a second at most for one session with few rows, twenty with many; each has a header, and one answer more. */
const MESSAGES_PER_SECOND = 200;
const MESSAGES_BURST = 400;

export function createBrokerSession(
  url: string,
  { WebSocket, genesisHash, indices, signLogin, timeoutMs }: SessionComponents,
  listeners: SessionListeners,
): BrokerSession {
  let phase: 'opening' | 'challenged' | 'live' | 'ended' = 'opening';
  const allowance = createAllowance();
  const socket = new WebSocket(webSocketUrl(url, DISTILL_PATH));
  socket.binaryType = 'arraybuffer';
  const timer = setTimeout(() => end('unresponsive', `no login within ${timeoutMs} ms`), timeoutMs);

  function end(code: BrokerFault | undefined, reason = ''): void {
    if (phase === 'ended') return;
    phase = 'ended';
    clearTimeout(timer);
    socket.close(1000);
    if (code !== undefined) listeners.onEnd(code, reason);
  }

  function send(message: ClientMessage): boolean {
    if (phase === 'ended' || socket.bufferedAmount > BUFFERED_BYTES_MAX) return false;
    socket.send(encodeClientMessage(message));
    return true;
  }

  async function login({ genesisHash: named, broker, nonce }: Challenge): Promise<void> {
    if (!bytesEqual(named, genesisHash)) return end('wrong-chain', 'it is a broker of another chain');
    phase = 'challenged';
    try {
      const aggregate = await signLogin(loginMessage({ genesisHash, broker, nonce, indices }));
      send({ name: 'login', value: { indices, aggregate } });
    } catch (error) {
      end('unreachable', error instanceof Error ? error.message : String(error));
    }
  }

  function receive(data: unknown): void {
    if (phase === 'ended') return;
    if (!allowance.take(performance.now())) return end('flood', 'more messages than a broker has to send');
    const decoded = readMessage(data);
    if (typeof decoded === 'string') return end('malformed', decoded);
    const { name, value } = decoded;
    if (name === 'end') return end('ended', `${value.reason}: ${value.detail}`);
    if (name === 'challenge' && phase === 'opening') return void login(value);
    if (name === 'welcome' && phase === 'challenged' && value.next.length === indices.length) {
      phase = 'live';
      clearTimeout(timer);
      return listeners.onWelcome(value);
    }
    if (name === 'challenge' || name === 'welcome' || phase !== 'live') return end('malformed', `${name} out of order`);
    listeners.onMessage(decoded as LiveMessage);
  }

  socket.addEventListener('message', ({ data }) => receive(data));
  socket.addEventListener('close', ({ code, reason }) => end('unreachable', reason || `closed with code ${code ?? 0}`));
  socket.addEventListener('error', () => {});
  return {
    get isLive() {
      return phase === 'live';
    },
    send,
    fail: end,
    close: () => end(undefined),
  };
}

/** A fault as text. */
function readMessage(data: unknown): BrokerMessage | string {
  if (!(data instanceof ArrayBuffer)) return 'a message that is not binary';
  const decoded = decodeBrokerMessage(new Uint8Array(data));
  return decoded.ok ? decoded.value : decoded.error.message;
}

function createAllowance() {
  let left = MESSAGES_BURST;
  let atMs: number | undefined;
  return {
    take(nowMs: number): boolean {
      left = Math.min(MESSAGES_BURST, left + ((nowMs - (atMs ?? nowMs)) * MESSAGES_PER_SECOND) / 1_000);
      atMs = nowMs;
      left -= 1;
      return left >= 0;
    },
  };
}

/**
 * One stream of a client.
 *
 *   challenge --> login in time? --> checked --> welcome --> rows, shares      any fault --> end, with its reason
 */
import {
  type ClientMessage,
  decodeClientMessage,
  type EndReason,
  encodeBrokerMessage,
  type Login,
  NONCE_BYTES,
  type RowsMessage,
  type Share,
  type Terms,
} from '@slipstream/distilled/stream';
import type { Clock, PeerKey, Random, Telemetry } from '@slipstream/ports';
import { createTokenBucket, type Result } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import type { Carrier, Session } from './components.ts';
import { type BrokerLimits, BYTE_RATE, LOGIN_WITHIN_MS, MESSAGE_RATE, REFUSED_ROW_RATE } from './limits.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

export interface ClientStream {
  /** A binary message of the client. */
  message(bytes: Uint8Array): void;
  /** Its carrier is closed. Idempotent. */
  closed(): void;
  /** Idempotent. */
  end(reason: EndReason, detail: string): void;
  readonly session: Session;
}

interface StreamParts {
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
  readonly telemetry: Telemetry;
  readonly genesisHash: GenesisHash;
  readonly broker: PeerKey;
  readonly limits: Pick<BrokerLimits, 'unsentBytesMax'>;
  readonly unsent: UnsentBytes;
  terms(): Terms;
  login(login: Login, asked: { nonce: Uint8Array; address: string }): Promise<Result<{ next: Uint32Array }, EndReason>>;
  /** False: there is no room for its indices. */
  loggedIn(stream: ClientStream, indices: Uint32Array): boolean;
  rows(session: Session, message: RowsMessage): Promise<void>;
  share(session: Session, share: Share): void;
  /** Its login, if there was one, counts no more. */
  gone(stream: ClientStream): void;
}

type Stage = 'challenged' | 'checking' | 'open' | 'closed';

interface Opening {
  readonly carrier: Carrier;
  readonly address: string;
  /** It waits for no login any more. Idempotent. */
  releaseWaiting(): void;
}

export function createClientStream(parts: StreamParts, { carrier, address, releaseWaiting }: Opening): ClientStream {
  const { clock, telemetry, unsent } = parts;
  const nonce = parts.random.bytes(NONCE_BYTES);
  const messages = createTokenBucket(clock, MESSAGE_RATE);
  const bytesLeft = createTokenBucket(clock, BYTE_RATE);
  const refusals = createTokenBucket(clock, REFUSED_ROW_RATE);
  let stage: Stage = 'challenged';
  const cancelLate = clock.after(LOGIN_WITHIN_MS, () => {
    if (stage === 'challenged') stream.end('login-late', `no login within ${LOGIN_WITHIN_MS} ms`);
  });

  const unread = {
    unsentBytes: carrier.unsentBytes,
    cutOff() {
      if (stage !== 'closed') leave('slow');
      carrier.terminate();
    },
  };

  const session: Session = {
    address,
    rows: 0,
    get isOpen() {
      return stage === 'open';
    },
    get isBehind() {
      return carrier.unsentBytes() > parts.limits.unsentBytesMax / 2;
    },
    send(message) {
      if (stage === 'closed') return;
      carrier.send(encodeBrokerMessage(message));
      unsent.sent(unread);
      if (carrier.unsentBytes() > parts.limits.unsentBytesMax) stream.end('slow', 'messages were not read in time');
    },
    refused(rows) {
      if (refusals.take(rows)) return;
      stream.end('too-many-messages', `more than ${REFUSED_ROW_RATE.perSecond} refused rows per second`);
    },
  };

  async function login(asked: Login): Promise<void> {
    stage = 'checking';
    // The message's memory is the carrier's.
    const copied = { indices: asked.indices, aggregate: asked.aggregate.slice() };
    const checked = await parts.login(copied, { nonce, address });
    if (stage !== 'checking') return;
    const isTaken = checked.ok && parts.loggedIn(stream, copied.indices);
    const fault = checked.ok ? 'index-limit' : checked.error;
    telemetry.count('broker_logins', 1, { result: isTaken ? 'ok' : fault });
    if (!checked.ok || !isTaken) return stream.end(fault, 'the login was refused');
    stage = 'open';
    releaseWaiting();
    session.send({ name: 'welcome', value: { terms: parts.terms(), next: checked.value.next } });
  }

  function take({ name, value }: ClientMessage): void {
    if (name === 'login' && stage === 'challenged') return run(login(value));
    if (name === 'rows' && stage === 'open') return run(parts.rows(session, value));
    if (name === 'share' && stage === 'open')
      return parts.share(session, { ...value, signature: value.signature.slice() });
    stream.end('malformed-message', `${name} is not expected now`);
  }

  function run(work: Promise<void>): void {
    work.catch((error: unknown) => {
      telemetry.log('error', 'a message of a client failed', { error: String(error) });
      stream.end('internal', 'the message failed here');
    });
  }

  function leave(reason: EndReason | undefined): void {
    stage = 'closed';
    cancelLate();
    if (reason !== undefined) telemetry.count('broker_streams_ended', 1, { reason });
    parts.gone(stream);
  }

  const stream: ClientStream = {
    session,
    message(bytes) {
      if (stage === 'closed') return;
      if (!messages.take() || !bytesLeft.take(bytes.length)) {
        return stream.end('too-many-messages', `more than ${MESSAGE_RATE.perSecond} messages per second`);
      }
      const decoded = decodeClientMessage(bytes);
      if (decoded.ok) take(decoded.value);
      else stream.end('malformed-message', decoded.error.message.slice(0, 100));
    },
    closed() {
      releaseWaiting();
      unsent.closed(unread);
      if (stage !== 'closed') leave(undefined);
    },
    end(reason, detail) {
      if (stage === 'closed') return;
      leave(reason);
      carrier.send(encodeBrokerMessage({ name: 'end', value: { reason, detail } }));
      unsent.sent(unread);
      carrier.close(reason, detail);
    },
  };
  carrier.send(
    encodeBrokerMessage({ name: 'challenge', value: { genesisHash: parts.genesisHash, broker: parts.broker, nonce } }),
  );
  return stream;
}

/**
 * Carries pending rows to their end: a session with one broker at a time, the next one when it is lost.
 *
 *   connect --> login --> live: rows, shares --> lost: rows are given back --delay--> connect to the next one
 */
import { LOGIN_KEYS_PER_TOKEN, type Terms, type Welcome } from '@slipstream/distilled/stream';
import type { ClientError } from '../errors.ts';
import type { BrokerChoice } from './broker-choice.ts';
import type { HandleMessage, MessageSource } from './broker-messages.ts';
import type { BrokerSession, SessionListeners } from './broker-session.ts';
import type { BrokerEvent, BrokerFault, TransferResult } from './options.ts';
import { expired, type OutcomeJudge } from './outcomes.ts';
import type { PendingRow, PendingRows } from './pending-rows.ts';
import { retryDelayMs } from './refusals.ts';
import type { Senders } from './senders.ts';

interface CarrierComponents {
  readonly senders: Senders;
  readonly rows: PendingRows;
  readonly choice: BrokerChoice;
  readonly connect: (url: string, listeners: SessionListeners) => BrokerSession;
  readonly handle: HandleMessage;
  readonly judge: OutcomeJudge;
  readonly settle: (row: PendingRow, end: TransferResult | ClientError) => void;
  readonly nowMs: () => number;
  readonly onBroker: (event: BrokerEvent) => void;
  /** The first terms are known, or sequences are. */
  readonly onWelcome: () => void;
}

interface CarrierOptions {
  readonly patienceMs: number;
  readonly brokers: number;
}

interface Carrier {
  /** Undefined before the first login. */
  readonly terms: Terms | undefined;
  start(): void;
  /** Rows were added. */
  flush(): void;
  /** What is due by time; called often. */
  tick(): void;
  close(): void;
}

/** A block with the row may still become final and certified. */
const EXPIRY_MARGIN_MS = 15_000;
/** A broker counts a login's tokens back each second (Q10). */
const LOGIN_TOKEN_MS = 1_000;
/** A refusal comes at once. */
const MESSAGES_KEPT = 1_024;

export function createCarrier(components: CarrierComponents, { patienceMs, brokers }: CarrierOptions): Carrier {
  const { senders, rows, choice, handle, judge, settle, nowMs, onBroker } = components;
  let session: BrokerSession | undefined;
  let terms: Terms | undefined;
  let sentMessages = new Map<number, readonly PendingRow[]>();
  let nextNumber = 0;
  let mayLeaveAtMs = 0;
  let connectTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function connect(): void {
    const { url } = choice;
    sentMessages = new Map();
    onBroker({ type: 'connecting', url });
    let source: MessageSource | undefined;
    const opened = components.connect(url, {
      onWelcome: (welcome) => welcomed(url, welcome),
      onMessage(message) {
        if (message.name === 'terms') terms = message.value;
        else handle(message, source as MessageSource);
      },
      onEnd: (code, reason) => lost(url, code, reason),
    });
    source = sourceOf(opened, url);
    session = opened;
  }

  function sourceOf(opened: BrokerSession, url: string): MessageSource {
    return {
      sendShare: (value) => void opened.send({ name: 'share', value }),
      fail: opened.fail,
      leave: (reason) => leave(opened, reason),
      withhold: (reason) => onBroker({ type: 'withheld', url, reason }),
      sentRows: (number) => (session === opened ? sentMessages.get(number) : undefined),
    };
  }

  /** Brokers that are all full would else refuse the logins of a gateway soon. */
  function leave(opened: BrokerSession, reason: string): void {
    if (brokers < 2 || nowMs() < mayLeaveAtMs) return;
    mayLeaveAtMs = nowMs() + LOGIN_TOKEN_MS * (1 + Math.floor(senders.indices.length / LOGIN_KEYS_PER_TOKEN));
    opened.fail('ended', reason);
  }

  function welcomed(url: string, welcome: Welcome): void {
    choice.succeeded();
    for (const [i, { sequences }] of senders.all.entries()) sequences.raiseTo(welcome.next[i] as number);
    terms = welcome.terms;
    onBroker({ type: 'live', url });
    components.onWelcome();
    flush();
  }

  function lost(url: string, code: BrokerFault, reason: string): void {
    session = undefined;
    for (const row of [...rows.allSent()]) {
      row.mayRun = true;
      if (!row.isProving) rows.giveBack(row, 0);
    }
    const retryInMs = choice.failed(code, nowMs());
    onBroker({ type: 'lost', url, code, reason, retryInMs });
    if (!isClosed) connectTimer = setTimeout(connect, retryInMs);
  }

  function flush(): void {
    if (session?.isLive !== true || terms === undefined) return;
    for (const { message, rows: own } of rows.take(nowMs(), terms.rowsMax - rows.sent(), () => nextNumber++)) {
      if (session?.send({ name: 'rows', value: message }) === true) sentMessages.set(message.number, own);
      else for (const row of own) rows.giveBack(row, nowMs() + retryDelayMs(0));
    }
    while (sentMessages.size > MESSAGES_KEPT) sentMessages.delete(sentMessages.keys().next().value as number);
  }

  async function endExpired(row: PendingRow): Promise<void> {
    if (!(await judge.lookAround(row, settle))) settle(row, expired(row));
  }

  return {
    get terms() {
      return terms;
    },
    start: connect,
    flush,
    tick() {
      const now = nowMs();
      for (const row of rows.expiredBefore(now - EXPIRY_MARGIN_MS)) if (!row.isProving) void endExpired(row);
      const oldestMs = rows.oldestSentMs();
      if (oldestMs !== undefined && now - oldestMs > patienceMs) {
        session?.fail('unresponsive', `no outcome of a row within ${patienceMs} ms`);
      }
      flush();
    },
    close() {
      isClosed = true;
      clearTimeout(connectTimer);
      session?.close();
    },
  };
}

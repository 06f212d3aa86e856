/** Wires what carries rows: a queue, pending rows, a carrier with its session, the judge of outcomes. */
import { compressBlsSignature, ed25519Sign } from '@slipstream/crypto/browser';
import type { GenesisHash } from '@slipstream/types';
import { ClientError } from '../errors.ts';
import { createBrokerChoice } from './broker-choice.ts';
import { createMessageHandler } from './broker-messages.ts';
import { createBrokerSession, type SessionListeners } from './broker-session.ts';
import type { BrokerSocketConstructor } from './broker-socket.ts';
import { createCarrier } from './carrier.ts';
import { createFlushTimer } from './flush-timer.ts';
import type { DistilleryOptions, ProveRow, TransferResult } from './options.ts';
import { createOutcomeJudge } from './outcomes.ts';
import { createPendingRows, type PendingRow } from './pending-rows.ts';
import { lifeMsOf } from './row-limits.ts';
import { createRowQueue, type QueuedTransfer } from './row-queue.ts';
import type { Senders } from './senders.ts';
import { createShareSigner } from './share-signer.ts';
import { createShownBatches } from './shown-batches.ts';

export interface Engine {
  add(transfer: QueuedTransfer): void;
  /** If it is no row yet. */
  remove(transfer: QueuedTransfer): void;
  close(): void;
}

interface EngineParts {
  readonly urls: readonly string[];
  readonly genesisHash: GenesisHash;
  readonly senders: Senders;
  readonly prove: ProveRow | undefined;
}

const TIMEOUT_MS_DEFAULT = 10_000;
const PATIENCE_MS_DEFAULT = 8_000;
const TICK_MS = 250;

export function createEngine({ urls, genesisHash, senders, prove }: EngineParts, options: DistilleryOptions): Engine {
  const { timeoutMs = TIMEOUT_MS_DEFAULT, patienceMs = PATIENCE_MS_DEFAULT, signRow = ed25519Sign } = options;
  const nowMs = () => Date.now();
  const rows = createPendingRows();
  const signer = createShareSigner(options.signShare);
  const judge = createOutcomeJudge(prove);
  const queue = createRowQueue({ genesisHash, rows, signRow, nowMs }, options);
  let fault: string | undefined = 'no broker answered';

  function fill(): void {
    if (carrier.terms !== undefined) queue.fill(carrier.terms);
    carrier.flush();
  }
  const flushTimer = createFlushTimer(fill, nowMs);
  function settle(row: PendingRow, end: TransferResult | ClientError): void {
    if (!rows.remove(row)) return;
    senders.get(row.row.sender)?.sequences.release(row.row.sequence);
    row.settle(end);
    flushTimer.soon();
  }

  const WebSocket = options.WebSocket ?? platformWebSocket();
  const signLogin = async (message: Uint8Array) =>
    compressBlsSignature(await signer.sign(message, senders.secretOf(senders.indices)));
  const session = { WebSocket, genesisHash, indices: senders.indices, signLogin, timeoutMs };
  const carrier = createCarrier(
    {
      senders,
      rows,
      judge,
      settle,
      nowMs,
      choice: createBrokerChoice(urls, Math.random),
      connect: (url: string, listeners: SessionListeners) => createBrokerSession(url, session, listeners),
      handle: createMessageHandler({
        senders,
        rows,
        genesisHash,
        signer,
        judge,
        shown: createShownBatches(),
        nowMs,
        settle,
      }),
      onBroker(event) {
        if (event.type === 'live') fault = undefined;
        if (event.type === 'lost') fault = `${event.url}: ${event.code}: ${event.reason}`;
        options.onBroker?.(event);
      },
      onWelcome: fill,
    },
    { patienceMs, brokers: urls.length },
  );
  carrier.start();
  const ticks = setInterval(() => {
    queue.expireBefore(nowMs() - lifeMsOf(options), fault);
    carrier.tick();
  }, TICK_MS);
  return {
    add(transfer) {
      queue.add(transfer);
      flushTimer.soon();
    },
    remove: queue.remove,
    close() {
      clearInterval(ticks);
      flushTimer.stop();
      carrier.close();
      judge.close();
      signer.close();
    },
  };
}

function platformWebSocket(): BrokerSocketConstructor {
  if (typeof WebSocket === 'undefined') {
    throw new ClientError('bad-argument', 'this platform has no WebSocket: pass one');
  }
  return WebSocket as unknown as BrokerSocketConstructor;
}

/**
 * A session of the bench: the SDK's, over rows that were made before. A gateway stands for many accounts, a live client for one; a faulty
 * session gives no share to some headers and signs another message at others.
 */

import { ClientError } from '@slipstream/client';
import type {
  BrokerEvent,
  BrokerSocketConstructor,
  DistilleryKeys,
  TransferResult,
} from '@slipstream/client/distillery';
import { compressBlsSignature } from '@slipstream/crypto/browser';
import { createBlsSigner } from '@slipstream/crypto/native';
import type { GenesisHash } from '@slipstream/types';
import { createBrokerChoice } from '../../../packages/client/src/distillery/broker-choice.ts';
import { createMessageHandler } from '../../../packages/client/src/distillery/broker-messages.ts';
import { createBrokerSession, type SessionListeners } from '../../../packages/client/src/distillery/broker-session.ts';
import { createCarrier } from '../../../packages/client/src/distillery/carrier.ts';
import { createFlushTimer } from '../../../packages/client/src/distillery/flush-timer.ts';
import { createOutcomeJudge } from '../../../packages/client/src/distillery/outcomes.ts';
import {
  createPendingRows,
  type PendingRow,
  type PendingRows,
} from '../../../packages/client/src/distillery/pending-rows.ts';
import { findSenders } from '../../../packages/client/src/distillery/senders.ts';
import { createShareSigner } from '../../../packages/client/src/distillery/share-signer.ts';
import { createShownBatches } from '../../../packages/client/src/distillery/shown-batches.ts';
import type { ShareFaults } from './share-faults.ts';

export interface BenchGateway {
  readonly isLive: boolean;
  /** Rows that have not ended. */
  readonly pending: number;
  add(row: PendingRow): void;
  close(): void;
}

export type SessionKind = 'gateway' | 'live' | 'faulty';

interface GatewayWishes {
  readonly urls: readonly string[];
  readonly genesisHash: GenesisHash;
  readonly keys: readonly DistilleryKeys[];
  readonly kind: SessionKind;
  readonly faults: ShareFaults;
  readonly unit: () => number;
  readonly onEvent: (event: BrokerEvent) => void;
}

const TICK_MS = 250;
const PATIENCE_MS = 30_000;
const TIMEOUT_MS = 20_000;

export async function openGateway(wishes: GatewayWishes): Promise<BenchGateway> {
  const { urls, genesisHash, keys, unit } = wishes;
  const signer = createShareSigner((message, secret) => createBlsSigner(secret).sign(message));
  const shares = sharesOf(wishes);
  const noClient = { directory: unasked, accounts: unasked };
  const senders = await findSenders(keys, noClient, unasked);
  const rows = createPendingRows();
  const judge = createOutcomeJudge(undefined);
  let isLive = false;
  const settle = (row: PendingRow, end: TransferResult | ClientError) => {
    if (rows.remove(row)) row.settle(end);
  };
  const signLogin = async (message: Uint8Array) =>
    compressBlsSignature(await signer.sign(message, senders.secretOf(senders.indices)));
  const WebSocket = globalThis.WebSocket as unknown as BrokerSocketConstructor;
  const session = { WebSocket, genesisHash, indices: senders.indices, signLogin, timeoutMs: TIMEOUT_MS };
  const shown = createShownBatches();
  const carrier = createCarrier(
    {
      senders,
      rows,
      judge,
      settle,
      nowMs: Date.now,
      choice: createBrokerChoice(urls, unit),
      connect: (url: string, listeners: SessionListeners) => createBrokerSession(url, session, listeners),
      handle: createMessageHandler({
        senders,
        rows,
        genesisHash,
        judge,
        shown,
        settle,
        chooseSigners: shares.choose,
        signer: shares.signer,
        nowMs: Date.now,
      }),
      onBroker(event) {
        if (event.type === 'live' || event.type === 'lost') isLive = event.type === 'live';
        wishes.onEvent(event);
      },
      onWelcome() {},
    },
    { patienceMs: PATIENCE_MS, brokers: urls.length },
  );
  return running(carrier, rows, () => isLive);
}

/** The handler chooses and signs in one turn, so that a choice is for the signature after it. */
function sharesOf({ kind, faults }: GatewayWishes) {
  let isFalse = false;
  const choose = (signers: readonly number[]): readonly number[] => {
    isFalse = false;
    if (kind === 'gateway') return faults.kept(signers);
    if (kind === 'live' || signers.length === 0) return signers;
    const fault = faults.ofSession(signers);
    isFalse = fault === 'false';
    return fault === 'silent' ? [] : signers;
  };
  const signer = createShareSigner((message, secret) =>
    createBlsSigner(secret).sign(isFalse ? new Uint8Array(message.length) : message),
  );
  return { choose, signer };
}

function running(carrier: ReturnType<typeof createCarrier>, rows: PendingRows, isLive: () => boolean): BenchGateway {
  carrier.start();
  const ticks = setInterval(carrier.tick, TICK_MS);
  const flushTimer = createFlushTimer(carrier.flush, Date.now);
  return {
    get isLive() {
      return isLive();
    },
    get pending() {
      return rows.size;
    },
    add(row) {
      rows.add(row);
      flushTimer.soon();
    },
    close() {
      flushTimer.stop();
      clearInterval(ticks);
      carrier.close();
    },
  };
}

function unasked(): never {
  throw new ClientError('bad-argument', 'the accounts of a bench have their indices');
}

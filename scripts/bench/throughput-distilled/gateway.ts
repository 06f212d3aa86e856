/**
 * A gateway of the bench: the SDK's session, over rows that were made before. One sender in a hundred gets no share of a batch; a gateway
 * that lies signs another message.
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
import { createOutcomeJudge } from '../../../packages/client/src/distillery/outcomes.ts';
import {
  createPendingRows,
  type PendingRow,
  type PendingRows,
} from '../../../packages/client/src/distillery/pending-rows.ts';
import { findSenders } from '../../../packages/client/src/distillery/senders.ts';
import { createShareSigner } from '../../../packages/client/src/distillery/share-signer.ts';
import { createShownBatches } from '../../../packages/client/src/distillery/shown-batches.ts';

export interface BenchGateway {
  readonly isLive: boolean;
  /** Rows that have not ended. */
  readonly pending: number;
  add(row: PendingRow): void;
  flush(): void;
  close(): void;
}

interface GatewayWishes {
  readonly urls: readonly string[];
  readonly genesisHash: GenesisHash;
  readonly keys: readonly DistilleryKeys[];
  /** Of senders, in each batch. */
  readonly withheldShare: number;
  readonly isLying: boolean;
  readonly unit: () => number;
  readonly onEvent: (event: BrokerEvent) => void;
}

const TICK_MS = 250;
const PATIENCE_MS = 30_000;
const TIMEOUT_MS = 20_000;

export async function openGateway(wishes: GatewayWishes): Promise<BenchGateway> {
  const { urls, genesisHash, keys, unit, withheldShare, isLying } = wishes;
  const signer = createShareSigner((message, secret) => createBlsSigner(secret).sign(message));
  const liar = createShareSigner((_, secret) => createBlsSigner(secret).sign(new Uint8Array(32)));
  const noClient = { directory: unasked, account: unasked };
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
  const chooseSigners = (signers: readonly number[]) => signers.filter(() => unit() >= withheldShare);
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
        chooseSigners,
        signer: isLying ? liar : signer,
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

function running(carrier: ReturnType<typeof createCarrier>, rows: PendingRows, isLive: () => boolean): BenchGateway {
  carrier.start();
  const ticks = setInterval(carrier.tick, TICK_MS);
  return {
    get isLive() {
      return isLive();
    },
    get pending() {
      return rows.size;
    },
    add: rows.add,
    flush: carrier.flush,
    close() {
      clearInterval(ticks);
      carrier.close();
    },
  };
}

function unasked(): never {
  throw new ClientError('bad-argument', 'the accounts of a bench have their indices');
}

/** A live client of the bench: the SDK's session of one account, over rows that were made before. */

import { ClientError } from '@slipstream/client';
import type { BrokerSocketConstructor, TransferResult } from '@slipstream/client/distillery';
import { compressBlsSignature } from '@slipstream/crypto/browser';
import { createBlsSigner } from '@slipstream/crypto/native';
import { fromHex } from '@slipstream/primitives';
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
import { pendingRow } from './column-shares.ts';
import type { Registered } from './registered.ts';
import { endRow, type RowEnd, type RunRows } from './run-rows.ts';

/** A session of the bench. */
export interface BenchGateway {
  readonly isLive: boolean;
  /** Rows that have not ended. */
  readonly pending: number;
  /** Rows of another run are forgotten. */
  begin(rows: RunRows): void;
  /** A row of the run, by number, which is due. */
  add(number: number): void;
  close(): void;
}

export type SessionKind = 'gateway' | 'live' | 'faulty';

interface LiveWishes {
  readonly url: string;
  readonly genesisHash: GenesisHash;
  readonly keys: Registered;
  readonly onLost: (reason: string) => void;
}

const TICK_MS = 250;
const PATIENCE_MS = 30_000;
const TIMEOUT_MS = 20_000;

export async function openLiveClient(wishes: LiveWishes): Promise<BenchGateway> {
  const { url, genesisHash, keys } = wishes;
  const urls = [url];
  const signer = createShareSigner((message, secret) => createBlsSigner(secret).sign(message));
  const noClient = { directory: unasked, accounts: unasked };
  const senders = await findSenders([keys], noClient, unasked);
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
      choice: createBrokerChoice(urls, Math.random),
      connect: (url: string, listeners: SessionListeners) => createBrokerSession(url, session, listeners),
      handle: createMessageHandler({
        senders,
        rows,
        genesisHash,
        judge,
        shown,
        settle,
        signer,
        nowMs: Date.now,
      }),
      onBroker(event) {
        if (event.type === 'live' || event.type === 'lost') isLive = event.type === 'live';
        if (event.type === 'lost') wishes.onLost(`${event.code}: ${event.reason}`);
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
  const flushTimer = createFlushTimer(carrier.flush, Date.now);
  let run: RunRows | undefined;
  return {
    get isLive() {
      return isLive();
    },
    get pending() {
      return rows.size;
    },
    begin(next) {
      run = next;
    },
    add(number) {
      const of = run as RunRows;
      rows.add(pendingRow(of, number, (end) => settled(of, number, end)));
      flushTimer.soon();
    },
    close() {
      flushTimer.stop();
      clearInterval(ticks);
      carrier.close();
    },
  };
}

function settled(run: RunRows, number: number, end: TransferResult | ClientError): void {
  if (!('status' in end)) {
    run.reasons.set(number, end.message);
    return endRow(run, number, CODE_ENDS[end.code] ?? 'none');
  }
  endRow(run, number, end.status);
  const [batchId, position] = placeOfRow(fromHex(end.rowId));
  run.batches[number] = run.batchIds.push(batchId) - 1;
  run.positions[number] = position;
}

const CODE_ENDS: Readonly<Record<string, RowEnd>> = { 'row-refused': 'row-refused', 'row-skipped': 'row-skipped' };

/** A row id has 28 bytes of its batch's id. */
function placeOfRow(rowId: Uint8Array): readonly [Uint8Array, number] {
  const position = new DataView(rowId.buffer, rowId.byteOffset + ROW_ID_PREFIX_BYTES).getUint32(0);
  const batchId = new Uint8Array(32);
  batchId.set(rowId.subarray(0, ROW_ID_PREFIX_BYTES));
  return [batchId, position];
}

const ROW_ID_PREFIX_BYTES = 28;

function unasked(): never {
  throw new ClientError('bad-argument', 'the accounts of a bench have their indices');
}

/**
 * A gateway of the bench: one stream, many accounts, and their rows as numbers of a run.
 *
 *   due --50 ms together--> rows message      header --Z12, over columns--> one signature by the sum of secrets --> share
 *                                             outcomes --> ends of rows      refused, dropped --> again, later
 *
 * A faulty one gives no share to some headers, and signs another message at others (share-faults.ts).
 */
import { compressBlsSignature } from '@slipstream/crypto/browser';
import { batchIdOf, outcomeOf } from '@slipstream/distilled';
import {
  type BrokerMessage,
  type ClientMessage,
  decodeBrokerMessage,
  encodeClientMessage,
  loginMessage,
  type Outcomes,
  type Terms,
} from '@slipstream/distilled/stream';
import { toHex } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import { findSenders, type Senders } from '../../../packages/client/src/distillery/senders.ts';
import { webSocketUrl } from '../../../packages/client/src/stream-socket.ts';
import { secretKeyFromBytes } from '../../../packages/crypto/src/native/binding.ts';
import { type ColumnShare, checkColumns, checkPaths, NOT_PENDING, ownPlaces } from './column-shares.ts';
import type { BenchGateway } from './gateway.ts';
import type { Registered } from './registered.ts';
import { createRowTraffic } from './row-traffic.ts';
import { pendingNumber, type RunRows } from './run-rows.ts';
import type { ShareFaults } from './share-faults.ts';

interface ColumnWishes {
  readonly url: string;
  readonly genesisHash: GenesisHash;
  /** All of the bench. */
  readonly accounts: readonly Registered[];
  /** Places of its own among them. */
  readonly places: readonly number[];
  readonly kind: 'gateway' | 'faulty';
  readonly faults: ShareFaults;
  readonly onLost: (reason: string) => void;
}

const FLUSH_MS = 50;
const RECONNECT_MS = 1_000;
const UNSENT_BYTES_MAX = 4 * 1024 * 1024;

export async function openColumnGateway(wishes: ColumnWishes): Promise<BenchGateway> {
  const { accounts, places } = wishes;
  const unasked = () => {
    throw new Error('the accounts of a bench have their indices');
  };
  const keys = places.map((place) => accounts[place] as Registered);
  return createColumnGateway(wishes, await findSenders(keys, { directory: unasked, accounts: unasked }, unasked));
}

function createColumnGateway(wishes: ColumnWishes, { indices, secretOf }: Senders): BenchGateway {
  const { genesisHash, accounts, places } = wishes;
  const own = ownPlaces(places, (place) => (accounts[place] as Registered).index);
  const shares = createShares(wishes, secretOf);
  const traffic = createRowTraffic();
  const shown = new Map<string, ColumnShare>();
  let terms: Terms | undefined;
  let socket: WebSocket | undefined;
  let isClosed = false;

  function connect(): void {
    const opened = new WebSocket(webSocketUrl(wishes.url, '/v1/distill'));
    opened.binaryType = 'arraybuffer';
    socket = opened;
    opened.addEventListener('message', ({ data }) => {
      const decoded = decodeBrokerMessage(new Uint8Array(data as ArrayBuffer));
      if (!decoded.ok) throw new Error(decoded.error.message);
      take(decoded.value);
    });
    opened.addEventListener('close', ({ code, reason }) => {
      if (isClosed || socket !== opened) return;
      wishes.onLost(`closed with code ${code} ${reason}`);
      [socket, terms] = [undefined, undefined];
      traffic.lost();
      setTimeout(connect, RECONNECT_MS);
    });
    opened.addEventListener('error', () => {});
  }

  const send = (message: ClientMessage): void => socket?.send(encodeClientMessage(message) as Uint8Array<ArrayBuffer>);

  function take({ name, value }: BrokerMessage): void {
    const { run } = traffic;
    if (name === 'welcome') terms = value.terms;
    if (name === 'terms') terms = value;
    if (name === 'challenge') {
      const message = loginMessage({ genesisHash, broker: value.broker, nonce: value.nonce, indices });
      const aggregate = compressBlsSignature(sign(message, secretOf(indices)));
      send({ name: 'login', value: { indices, aggregate } });
    }
    if (name === 'headerWithColumns' && run !== undefined) show(checkColumns(value, own, run));
    if (name === 'headerWithPaths' && run !== undefined) show(checkPaths(value, own, run));
    if (name === 'outcomes' && run !== undefined) end(value, run);
    if (name === 'refused') {
      const numbers = traffic.numbersOf(value.number);
      for (const { position, reason } of value.rows) traffic.giveBack(numbers?.[position], reason, value.retryAfterMs);
    }
    if (name === 'dropped' && run !== undefined) {
      for (const { sender, sequence, reason } of value.rows) {
        const place = own.of(sender);
        const number = place === undefined ? undefined : pendingNumber(run, place, sequence);
        traffic.giveBack(number, reason, value.retryAfterMs);
      }
    }
  }

  function show(share: ColumnShare): void {
    const batchId = batchIdOf(genesisHash, share.header);
    shown.set(toHex(batchId), share);
    const value = shares.of(batchId, share);
    if (value !== undefined) send({ name: 'share', value });
  }

  function end({ batchId, outcomes }: Outcomes, run: RunRows): void {
    const share = shown.get(toHex(batchId));
    shown.delete(toHex(batchId));
    if (share === undefined) return;
    if (outcomes.length !== share.numbers.length) throw new Error('outcomes are of other rows');
    const batch = run.batchIds.push(batchId.slice()) - 1;
    for (let i = 0; i < outcomes.length; i++) {
      const number = share.numbers[i] as number;
      if (number === NOT_PENDING || run.ends[number] !== 0) continue;
      run.batches[number] = batch;
      run.positions[number] = share.positions[i] as number;
      traffic.settle(number, outcomes[i] === 0 ? 'success' : endOfOutcome(outcomes[i] as number));
    }
  }

  function flush(): void {
    if (socket === undefined || terms === undefined || socket.bufferedAmount > UNSENT_BYTES_MAX) return;
    for (const message of traffic.take(terms.rowsMax)) socket.send(message as Uint8Array<ArrayBuffer>);
  }

  connect();
  const timer = setInterval(flush, FLUSH_MS);
  return {
    get isLive() {
      return terms !== undefined;
    },
    get pending() {
      return traffic.pending;
    },
    begin(rows) {
      traffic.begin(rows);
      shown.clear();
    },
    add: traffic.add,
    close() {
      isClosed = true;
      clearInterval(timer);
      socket?.close();
    },
  };
}

function endOfOutcome(outcome: number): 'failed' | 'row-skipped' {
  return outcomeOf(outcome)?.status === 'failed' ? 'failed' : 'row-skipped';
}

function sign(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const key = secretKeyFromBytes(secret);
  if (key === undefined) throw new Error('secrets that cancel');
  return new Uint8Array(key.sign(message).toBytes(false));
}

function createShares({ kind, faults }: ColumnWishes, secretOf: (indices: readonly number[]) => Uint8Array) {
  return {
    /** Undefined: it says nothing. */
    of(batchId: Uint8Array, { signers, without }: ColumnShare) {
      const fault = kind === 'faulty' && signers.length > 0 ? faults.ofSession(signers) : 'none';
      const chosen = kind === 'gateway' ? faults.kept(signers) : signers;
      if (fault === 'silent' || chosen.length === 0) return undefined;
      const signature = sign(fault === 'false' ? new Uint8Array(batchId.length) : batchId, secretOf(chosen));
      return { batchId, without: withoutOf(signers, chosen, without), signature };
    },
  };
}

/** Own senders that it does not stand for; ascending. */
function withoutOf(signers: readonly number[], chosen: readonly number[], without: readonly number[]): Uint32Array {
  if (chosen.length === signers.length) return Uint32Array.from(without);
  const standing = new Set(chosen);
  return Uint32Array.from([...without, ...signers.filter((signer) => !standing.has(signer))]).sort();
}

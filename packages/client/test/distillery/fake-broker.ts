/**
 * A broker in this process, honest unless asked to lie: it takes rows, puts them between rows of others, checks shares with blst, and
 * runs the batch. What ran stands in a ledger that several brokers share, as those of a chain do.
 */
import { blsSecretNumber, blsSecretSum } from '@slipstream/crypto/browser';
import { createBlsSigner } from '@slipstream/crypto/native';
import {
  type BatchHeader,
  batchIdOf,
  columnsOf,
  outcomeOf,
  proveRows,
  type Row,
  rowAt,
  rowIdOf,
  rowsRootOf,
  skipByte,
} from '@slipstream/distilled';
import {
  type BrokerMessage,
  type ClientMessage,
  decodeClientMessage,
  encodeBrokerMessage,
  type HeaderWithColumns,
  type HeaderWithPaths,
  loginMessage,
  type Outcomes,
  type RowsMessage,
  type Terms,
} from '@slipstream/distilled/stream';
import { bytesEqual, type PeerKey, sha256, to0x, toHex, utf8 } from '@slipstream/primitives';
import type { GenesisHash } from '@slipstream/types';
import type { BrokerSocket, BrokerSocketConstructor } from '../../src/distillery/index.ts';
import type { ProvenOutcome } from '../../src/distillery/options.ts';
import { ClientError } from '../../src/index.ts';

const FEES = { row: 20n, straggler: 300n };

/** What ran on the chain of the brokers. */
export interface FakeLedger {
  /** Rows by sender and sequence, once each. */
  readonly ran: Map<string, Row>;
  readonly proofs: Map<string, ProvenOutcome>;
  readonly prove: (rowId: string) => Promise<ProvenOutcome>;
  run(batchId: Uint8Array, rows: readonly Row[]): Uint8Array;
  height(): number;
}

export function createFakeLedger(): FakeLedger {
  const ran = new Map<string, Row>();
  const proofs = new Map<string, ProvenOutcome>();
  let height = 10;
  return {
    height: () => height,
    ran,
    proofs,
    async prove(rowId) {
      const found = proofs.get(rowId);
      if (found === undefined) throw new ClientError('transaction-unknown', `no row ${rowId}`);
      return found;
    },
    run(batchId, rows) {
      height++;
      return Uint8Array.from(rows, (row, position) => {
        const name = `${row.sender}/${row.sequence}`;
        const byte = ran.has(name) ? skipByte('sequence-used') : 0;
        if (byte === 0) ran.set(name, row);
        const outcome = outcomeOf(byte);
        const rowId = to0x(rowIdOf(batchId, position));
        if (outcome !== undefined) proofs.set(rowId, { outcome, height, fees: FEES, proof: 'proven' });
        return byte;
      });
    },
  };
}

/** Where a broker departs from the protocol. */
export interface Lies {
  readonly header?: (shown: HeaderWithPaths, rows: readonly Row[]) => HeaderWithPaths;
  readonly columns?: (shown: HeaderWithColumns) => HeaderWithColumns;
  /** Rows that the batch has besides. */
  readonly besides?: (rows: readonly Row[]) => readonly Row[];
  readonly headerFields?: Partial<BatchHeader>;
  readonly outcomes?: (reported: Outcomes) => Outcomes;
  /** Takes the place of all that follows the welcome. */
  readonly onRows?: (message: RowsMessage, send: (message: BrokerMessage | Uint8Array | string) => void) => void;
  /** Takes the place of the challenge. */
  readonly onOpen?: (send: (message: BrokerMessage | Uint8Array | string) => void) => void;
  /** The batch runs without a share. */
  readonly runsUnsigned?: boolean;
  /** The batch runs, and its clients do not learn it. */
  readonly hidesOutcomes?: boolean;
}

export interface FakeBrokerOptions {
  readonly genesisHash: GenesisHash;
  readonly ledger: FakeLedger;
  readonly secretOf: (index: number) => Uint8Array;
  readonly form?: 'paths' | 'columns';
  readonly lies?: Lies;
  readonly terms?: Partial<Terms>;
  readonly next?: number;
}

export interface FakeBroker {
  readonly name: string;
  readonly shares: { readonly batchId: Uint8Array; readonly isGood: boolean; readonly without: readonly number[] }[];
  readonly rowMessages: RowsMessage[];
  readonly logins: number[];
  /** Cuts all connections, and refuses new ones. */
  kill(): void;
  /** Cuts all connections. */
  cut(): void;
}

const TERMS: Terms = { rowFee: 20n, stragglerFee: 300n, feeCap: 30n, lifeMs: 10_000, rowsMax: 8_192 };

/** Between sending and receiving. */
const HOP_MS = 1;
const WINDOW_MS = 10;
const FINAL_MS = 10;
/** Senders of rows of others, around those of the tests. */
const BELOW = 1;
const ABOVE = 4_000_000_000;

type Send = (message: BrokerMessage | Uint8Array | string) => void;

export function createFakeBroker(
  name: string,
  options: FakeBrokerOptions,
): FakeBroker & { readonly accept: (socket: FakeSocket) => void } {
  const { genesisHash, ledger, secretOf, form = 'paths', lies = {}, terms = {}, next = 1 } = options;
  const shares: FakeBroker['shares'] = [];
  const rowMessages: RowsMessage[] = [];
  const logins: number[] = [];
  const sockets = new Set<FakeSocket>();
  let isDead = false;
  let number = 0;

  const signerOf = (indices: readonly number[]) =>
    createBlsSigner(blsSecretSum(indices.map((index) => blsSecretNumber(secretOf(index)))));

  function serve(socket: FakeSocket): void {
    const send: Send = (message) => socket.deliver(message);
    const nonce = sha256(utf8(`${name} ${logins.length}`));
    const broker = toHex(sha256(utf8(name))) as PeerKey;
    const waiting: Row[] = [];
    const asked = new Map<string, { readonly rows: readonly Row[]; readonly own: readonly number[] }>();
    let indices: Uint32Array = new Uint32Array();
    let isOpen = false;

    function closeWindow(): void {
      isOpen = false;
      const rows = [...waiting.splice(0), filler(BELOW, number), filler(ABOVE, number)];
      for (const row of lies.besides?.(rows) ?? []) rows.push(row);
      rows.sort((a, b) => a.sender - b.sender || a.sequence - b.sequence);
      const columns = columnsOf(rows);
      const made: BatchHeader = {
        kind: 'transfer',
        epoch: 1,
        broker,
        number: number++,
        knownAt: 5,
        expiryMs: Date.now() + 10_000,
        feeCap: 30n,
        rows: rows.length,
        root: rowsRootOf(columns),
      };
      const header = { ...made, ...lies.headerFields };
      const mine = rows.map(({ sender }) => indices.includes(sender));
      const own = [...new Set(rows.filter((_, i) => mine[i]).map(({ sender }) => sender))];
      const batchId = batchIdOf(genesisHash, header);
      asked.set(toHex(batchId), { rows, own });
      if (lies.runsUnsigned === true) setTimeout(() => finish(batchId, rows), FINAL_MS);
      if (form === 'columns') {
        const shown = { header, shareWithinMs: 5_000, rows: columns };
        return send({ name: 'headerWithColumns', value: lies.columns?.(shown) ?? shown });
      }
      const places = rows.flatMap((_, i) => (mine[i] ? [i - 1, i, i + 1] : []));
      const firsts = new Set(places.filter((i) => i >= 0 && i < rows.length).map((i) => i - (i % 16)));
      const shown: HeaderWithPaths = {
        header,
        shareWithinMs: 5_000,
        own: own.map((sender) => ({
          sender,
          first: rows.findIndex((row) => row.sender === sender),
          count: rows.filter((row) => row.sender === sender).length,
        })),
        leaves: [...firsts].sort((a, b) => a - b).map((first) => proveRows(columns, first)),
      };
      send({ name: 'headerWithPaths', value: lies.header?.(shown, rows) ?? shown });
    }

    function onShare({ batchId, without, signature }: Extract<ClientMessage, { name: 'share' }>['value']): void {
      const batch = asked.get(toHex(batchId));
      if (batch === undefined) return void shares.push({ batchId, isGood: false, without: [...without] });
      const signers = batch.own.filter((sender) => !without.includes(sender));
      const isGood = bytesEqual(signerOf(signers).sign(batchId), signature);
      shares.push({ batchId, isGood, without: [...without] });
      if (isGood) setTimeout(() => finish(batchId, batch.rows), FINAL_MS);
    }

    function finish(batchId: Uint8Array, rows: readonly Row[]): void {
      const all = ledger.run(batchId, rows);
      const outcomes = all.filter((_, i) => indices.includes((rows[i] as Row).sender));
      const reported = {
        batchId,
        height: ledger.height(),
        rowFee: FEES.row,
        stragglerFee: FEES.straggler,
        outcomes,
        stragglers: new Uint32Array(),
      };
      if (lies.hidesOutcomes !== true) send({ name: 'outcomes', value: lies.outcomes?.(reported) ?? reported });
    }

    socket.onSent = (bytes) => {
      const decoded = decodeClientMessage(bytes);
      if (!decoded.ok) throw new Error(`the client sent what does not decode: ${decoded.error.message}`);
      const { name: kind, value } = decoded.value;
      if (kind === 'login') {
        indices = value.indices;
        const message = loginMessage({ genesisHash, broker, nonce, indices });
        const good = bytesEqual(signerOf([...indices]).signCompressed(message), value.aggregate);
        if (!good) return send({ name: 'end', value: { reason: 'login-false', detail: '' } });
        logins.push(indices.length);
        send({ name: 'welcome', value: { terms: { ...TERMS, ...terms }, next: indices.map(() => next) } });
      } else if (kind === 'share') onShare(value);
      else {
        rowMessages.push(value);
        if (lies.onRows !== undefined) return lies.onRows(value, send);
        for (let i = 0; i < value.rows.count; i++) waiting.push(rowAt(value.rows, i));
        if (!isOpen) setTimeout(closeWindow, WINDOW_MS);
        isOpen = true;
      }
    };
    if (lies.onOpen !== undefined) lies.onOpen(send);
    else send({ name: 'challenge', value: { genesisHash, broker, nonce } });
  }

  const cut = () => {
    for (const socket of sockets) socket.cut();
    sockets.clear();
  };
  return {
    name,
    shares,
    rowMessages,
    logins,
    cut,
    kill() {
      isDead = true;
      cut();
    },
    accept(socket) {
      if (isDead) return socket.cut();
      sockets.add(socket);
      serve(socket);
    },
  };
}

const filler = (sender: number, number: number): Row => ({
  sender,
  recipient: 2,
  amount: 1n,
  sequence: number + 1,
  tag: 0,
});

/** A connection without a network. Messages arrive in order, a hop later. */
export class FakeSocket implements BrokerSocket {
  binaryType = 'blob';
  bufferedAmount = 0;
  onSent: (bytes: Uint8Array) => void = () => {};
  readonly #listeners: { readonly type: string; readonly listener: (event: object) => void }[] = [];
  #isOpen = true;

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.push({ type, listener });
  }

  send(data: Uint8Array): void {
    const bytes = data.slice();
    setTimeout(() => {
      if (this.#isOpen) this.onSent(bytes);
    }, HOP_MS);
  }

  deliver(message: BrokerMessage | Uint8Array | string): void {
    const data =
      typeof message === 'string'
        ? message
        : bufferOf(message instanceof Uint8Array ? message : encodeBrokerMessage(message));
    setTimeout(() => this.#emit('message', { data }), HOP_MS);
  }

  close(): void {
    this.#isOpen = false;
  }

  cut(): void {
    setTimeout(() => {
      this.#emit('close', { code: 1006 });
      this.#isOpen = false;
    }, HOP_MS);
  }

  #emit(type: string, event: object): void {
    if (!this.#isOpen) return;
    for (const each of this.#listeners) if (each.type === type) each.listener(event);
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}

/** Brokers by the host of their address. */
export function socketsTo(brokers: readonly ReturnType<typeof createFakeBroker>[]): BrokerSocketConstructor {
  return class extends FakeSocket {
    constructor(url: string) {
      super();
      const host = new URL(url).hostname;
      const broker = brokers.find(({ name }) => name === host);
      setTimeout(() => (broker === undefined ? this.cut() : broker.accept(this)), HOP_MS);
    }
  };
}

/** The least client of a broker: it logs in, sends rows, signs what it is asked to, and collects the answers. */
import blst from '@chainsafe/blst';
import { batchIdOf, columnsOf, type Row, type Straggler } from '@slipstream/distilled';
import {
  type BrokerMessage,
  decodeBrokerMessage,
  encodeClientMessage,
  loginMessage,
} from '@slipstream/distilled/stream';
import type { GenesisHash } from '@slipstream/types';

export interface Registered {
  readonly index: number;
  readonly blsSecret: Uint8Array;
}

interface StreamOptions {
  /** False: it withholds its shares. */
  readonly isSigning?: boolean;
}

type Named<Name extends BrokerMessage['name']> = Extract<BrokerMessage, { name: Name }>['value'];

export interface StreamClient {
  /** `stragglers`: of the rows, by position. */
  send(rows: readonly Row[], stragglers?: readonly Straggler[]): void;
  all<Name extends BrokerMessage['name']>(name: Name): readonly Named<Name>[];
  close(): void;
}

/** Resolves once it is logged in. */
export async function openStream(
  url: string,
  accounts: readonly Registered[],
  { isSigning = true }: StreamOptions = {},
): Promise<StreamClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/distill`);
  socket.binaryType = 'arraybuffer';
  const messages: BrokerMessage[] = [];
  const welcomed = Promise.withResolvers<void>();
  let genesisHash: GenesisHash;
  let number = 0;

  const sum = (of: readonly Registered[], message: Uint8Array) =>
    blst.aggregateSignatures(of.map(({ blsSecret }) => blst.SecretKey.fromBytes(blsSecret).sign(message)));

  function logIn({ genesisHash: hash, broker, nonce }: Named<'challenge'>): void {
    genesisHash = hash;
    const indices = Uint32Array.from(accounts, ({ index }) => index);
    const message = loginMessage({ genesisHash: hash, broker, nonce, indices });
    const aggregate = new Uint8Array(sum(accounts, message).toBytes(true));
    socket.send(encodeClientMessage({ name: 'login', value: { indices, aggregate } }) as Uint8Array<ArrayBuffer>);
  }

  function sign({ header }: Named<'headerWithPaths' | 'headerWithColumns'>, senders: ReadonlySet<number>): void {
    if (!isSigning) return;
    const batchId = batchIdOf(genesisHash, header);
    const own = accounts.filter(({ index }) => senders.has(index));
    const signature = new Uint8Array(sum(own, batchId).toBytes(false));
    const share = encodeClientMessage({ name: 'share', value: { batchId, without: new Uint32Array(), signature } });
    socket.send(share as Uint8Array<ArrayBuffer>);
  }

  socket.addEventListener('message', ({ data }) => {
    const decoded = decodeBrokerMessage(new Uint8Array(data as ArrayBuffer));
    if (!decoded.ok) return welcomed.reject(new Error(decoded.error.message));
    const message = decoded.value;
    messages.push(message);
    if (message.name === 'challenge') logIn(message.value);
    if (message.name === 'welcome') welcomed.resolve();
    if (message.name === 'headerWithPaths') sign(message.value, new Set(message.value.own.map(({ sender }) => sender)));
    if (message.name === 'headerWithColumns') sign(message.value, new Set(message.value.rows.senders));
  });
  socket.addEventListener('close', ({ code, reason }) => welcomed.reject(new Error(`closed: ${code} ${reason}`)));
  await welcomed.promise;

  return {
    send(rows, stragglers = []) {
      const value = {
        number: ++number,
        expiryMs: Date.now() + 59_000,
        feeCap: 10n ** 12n,
        rows: columnsOf(rows),
        stragglers,
      };
      socket.send(encodeClientMessage({ name: 'rows', value }) as Uint8Array<ArrayBuffer>);
    },
    all: <Name extends BrokerMessage['name']>(name: Name) =>
      messages.flatMap((message) => (message.name === name ? [message.value as Named<Name>] : [])),
    close: () => socket.close(),
  };
}

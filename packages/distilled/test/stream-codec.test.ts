/** Messages of a broker's stream: one form each, and bounded before memory is allocated. */
import { fromHex, type PeerKey, toHex, uint32le } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { columnsOf } from '../src/index.ts';
import {
  ACCOUNT_ROWS_MAX,
  CLIENT_MESSAGE_BYTES_MAX,
  decodeBrokerMessage,
  decodeClientMessage,
  END_CLOSE_CODES,
  END_REASONS,
  encodeBrokerMessage,
  encodeClientMessage,
  LOGIN_INDICES_MAX,
  loginMessage,
  ROW_REASONS,
} from '../src/stream/index.ts';
import { BROKER_SAMPLES, CLIENT_SAMPLES } from './stream-samples.ts';
import { GENESIS, OTHER_GENESIS, row } from './world.ts';

const broker = toHex(new Uint8Array(32).fill(1)) as PeerKey;
const nonce = new Uint8Array(32).fill(2);

describe('messages of a stream', () => {
  it.each(CLIENT_SAMPLES)('of a client are read as they were written: $name', (message) => {
    expect(decodeClientMessage(encodeClientMessage(message))).toEqual({ ok: true, value: message });
  });

  it.each(BROKER_SAMPLES)('of a broker are read as they were written: $name', (message) => {
    expect(decodeBrokerMessage(encodeBrokerMessage(message))).toEqual({ ok: true, value: message });
  });

  it.each([...CLIENT_SAMPLES, ...BROKER_SAMPLES])('have one length: $name', (message) => {
    const isOfClient = CLIENT_SAMPLES.some((sample) => sample === message);
    const decode = isOfClient ? decodeClientMessage : decodeBrokerMessage;
    const bytes = isOfClient
      ? encodeClientMessage(message as (typeof CLIENT_SAMPLES)[0])
      : encodeBrokerMessage(message as (typeof BROKER_SAMPLES)[0]);
    for (const damaged of [bytes.subarray(0, bytes.length - 1), Uint8Array.from([...bytes, 0])]) {
      const decoded = decode(damaged);
      if (decoded.ok) expect(decoded.value).not.toEqual(message);
    }
  });

  it('have a kind of one direction', () => {
    const login = encodeClientMessage(CLIENT_SAMPLES[0] as (typeof CLIENT_SAMPLES)[0]);
    const refused = decodeBrokerMessage(login);
    expect(refused).toMatchObject({ ok: false, error: { code: 'malformed' } });
    expect(decodeClientMessage(new Uint8Array())).toMatchObject({ ok: false, error: { code: 'malformed' } });
  });

  it('are refused by length before they are read', () => {
    const long = new Uint8Array(CLIENT_MESSAGE_BYTES_MAX + 1);
    long[0] = 2;
    expect(decodeClientMessage(long)).toMatchObject({ ok: false, error: { code: 'oversize' } });
  });

  it('refuse numbers of rows that the bytes cannot hold, before they allocate', () => {
    const bytes = encodeClientMessage(CLIENT_SAMPLES[1] as (typeof CLIENT_SAMPLES)[0]);
    // kind, number, expiry, fee cap, then the count.
    for (const count of [0, 39, 41, 8_193, 2 ** 32 - 1]) {
      const damaged = bytes.slice();
      damaged.set(uint32le(count), 1 + 4 + 8 + 8);
      expect(decodeClientMessage(damaged)).toMatchObject({ ok: false });
    }
  });

  it('refuse rows that do not ascend', () => {
    const rows = columnsOf([row(3, 4, 1), row(3, 4, 1, 2)]);
    const bytes = encodeClientMessage({
      name: 'rows',
      value: { number: 1, expiryMs: 1, feeCap: 1n, rows, stragglers: [] },
    });
    const damaged = bytes.slice();
    // The second sequence, 2, becomes 1.
    expect(damaged.at(-3)).toBe(2);
    damaged[damaged.length - 3] = 1;
    expect(decodeClientMessage(damaged)).toMatchObject({ ok: false, error: { code: 'malformed' } });
  });

  it('refuse a login without an index, and one with too many', () => {
    const aggregate = new Uint8Array(96);
    expect(() => encodeClientMessage({ name: 'login', value: { indices: Uint32Array.of(2, 2), aggregate } })).toThrow();
    const none = encodeClientMessage({ name: 'login', value: { indices: Uint32Array.of(0), aggregate } });
    expect(decodeClientMessage(none.subarray(0, none.length - 1))).toMatchObject({ ok: false });
    const indices = Uint32Array.from({ length: LOGIN_INDICES_MAX + 1 }, (_, i) => i);
    const tooMany = encodeClientMessage({ name: 'login', value: { indices, aggregate } });
    expect(decodeClientMessage(tooMany)).toMatchObject({ ok: false, error: { code: 'malformed' } });
  });

  it('have a code of a WebSocket for each end, and one number for each reason', () => {
    expect(Object.keys(END_CLOSE_CODES)).toEqual(Object.keys(END_REASONS));
    expect(new Set(Object.values(END_REASONS)).size).toBe(Object.keys(END_REASONS).length);
    expect(new Set(Object.values(ROW_REASONS)).size).toBe(Object.keys(ROW_REASONS).length);
    expect(ACCOUNT_ROWS_MAX).toBe(64);
  });
});

describe('what a login signs (Q1)', () => {
  const login = { genesisHash: GENESIS, broker, nonce, indices: Uint32Array.of(1, 2) };

  it('is another for each chain, broker, nonce and list of indices', () => {
    const others = [
      login,
      { ...login, genesisHash: OTHER_GENESIS },
      { ...login, broker: toHex(new Uint8Array(32).fill(9)) as PeerKey },
      { ...login, nonce: new Uint8Array(32).fill(9) },
      { ...login, indices: Uint32Array.of(1) },
      { ...login, indices: Uint32Array.of(1, 2, 3) },
    ];
    expect(new Set(others.map((one) => toHex(loginMessage(one)))).size).toBe(others.length);
    expect(fromHex(broker).length).toBe(32);
  });
});

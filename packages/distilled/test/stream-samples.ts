/** A message of each kind. */
import { type PeerKey, sha256, toHex, utf8 } from '@slipstream/primitives';
import { columnsOf, proveRows } from '../src/index.ts';
import type { BrokerMessage, ClientMessage } from '../src/stream/index.ts';
import { GENESIS, headerOf, ringOf } from './world.ts';

const rows = ringOf(40);
const columns = columnsOf(rows);
const straggler = { expiryMs: 1_800_000_000_000, feeCap: 900n, signature: new Uint8Array(64).fill(4) };
const terms = { rowFee: 20n, stragglerFee: 300n, feeCap: 26n, lifeMs: 30_000, rowsMax: 8_192 };

export const CLIENT_SAMPLES: readonly ClientMessage[] = [
  { name: 'login', value: { indices: Uint32Array.of(0, 1, 7, 70_000), aggregate: new Uint8Array(96).fill(3) } },
  { name: 'rows', value: { number: 1, expiryMs: 1_800_000_000_000, feeCap: 30n, rows: columns, stragglers: [] } },
  {
    name: 'rows',
    value: {
      number: 2,
      expiryMs: 1_800_000_000_000,
      feeCap: 2n ** 64n - 1n,
      rows: columnsOf(rows.slice(0, 3)),
      stragglers: [
        { position: 0, ...straggler },
        { position: 2, ...straggler },
      ],
    },
  },
  {
    name: 'share',
    value: { batchId: sha256(utf8('batch')), without: new Uint32Array(), signature: new Uint8Array(192).fill(6) },
  },
  {
    name: 'share',
    value: { batchId: sha256(utf8('batch')), without: Uint32Array.of(3, 9), signature: new Uint8Array(192) },
  },
];

export const BROKER_SAMPLES: readonly BrokerMessage[] = [
  {
    name: 'challenge',
    value: {
      genesisHash: GENESIS,
      broker: toHex(sha256(utf8('broker'))) as PeerKey,
      nonce: sha256(utf8('nonce')),
    },
  },
  { name: 'welcome', value: { terms, next: Uint32Array.of(1, 9, 0, 2 ** 32 - 1) } },
  { name: 'terms', value: terms },
  { name: 'refused', value: { number: 2, retryAfterMs: 100, rows: [{ position: 1, reason: 'broker-limit' }] } },
  {
    name: 'headerWithPaths',
    value: {
      header: headerOf(rows),
      shareWithinMs: 120,
      own: [{ sender: 17, first: 17, count: 1 }],
      leaves: [proveRows(columns, 17)],
    },
  },
  { name: 'headerWithColumns', value: { header: headerOf(rows), shareWithinMs: 120, rows: columns } },
  {
    name: 'outcomes',
    value: {
      batchId: sha256(utf8('batch')),
      height: 33,
      rowFee: 20n,
      stragglerFee: 0n,
      outcomes: Uint8Array.of(0, 0, 0),
      stragglers: Uint32Array.of(1),
    },
  },
  {
    name: 'dropped',
    value: { retryAfterMs: 0, rows: [{ sender: 4, sequence: 9, reason: 'share-missing' }] },
  },
  { name: 'end', value: { reason: 'slow', detail: 'nothing was read for a long time' } },
];

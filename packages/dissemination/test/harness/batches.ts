/** Batches over directories of accounts that all nodes know, and test networks with them. */
import {
  BATCH_HEADER_BYTES,
  type BatchHeader,
  batchHeaderCodec,
  batchIdOf,
  columnsOf,
  createDirectoryColumns,
  type DirectoryColumns,
  encodeBatch,
  rowsRootOf,
  signersOf,
} from '@slipstream/distilled';
import type { Telemetry } from '@slipstream/ports';
import { concatBytes, type PeerKey, toHex } from '@slipstream/primitives';
import { DISTILLED_DEFAULTS, ed25519Account } from '@slipstream/types';
import { distilledAggregate, fakeDistilledVerifier } from './fake-signatures.ts';
import { createTestNetwork, GENESIS_HASH, peerKey, publicKeyOf, type TestNetworkOptions } from './network.ts';
import { START_MS } from './start-time.ts';

const ACCOUNTS = 40;
/** Committed everywhere at first. */
export const HEIGHT = 20;
export const BROKER: PeerKey = peerKey(50);
const ROWS_PER_BLOCK = 100;

const blsKeyOf = (index: number) => new Uint8Array(96).fill(index + 1);
const entryOf = (index: number) => ({ account: ed25519Account(publicKeyOf(index)), blsKey: blsKeyOf(index) });

export function directoryUpTo(height: number): DirectoryColumns {
  const columns = createDirectoryColumns();
  for (let at = 0; at <= height; at++) commitNext(columns);
  return columns;
}

/** Half of the accounts at height 10, the others at HEIGHT. */
export function commitNext(columns: DirectoryColumns): void {
  const height = (columns.newest() ?? -1) + 1;
  const half = ACCOUNTS / 2;
  const indices = Array.from({ length: half }, (_, i) => (height === HEIGHT ? half + i : i));
  columns.grow(height, height === 10 || height === HEIGHT ? indices.map(entryOf) : []);
}

interface BatchForm {
  readonly senders?: readonly number[];
  readonly recipient?: number;
  readonly header?: Partial<BatchHeader>;
  readonly falseAggregate?: boolean;
}

let numbers = 0;

export function batchBytes({ senders = [0, 1, 2], recipient = 3, header, falseAggregate }: BatchForm = {}): Uint8Array {
  const rows = columnsOf(senders.map((sender) => ({ sender, recipient, amount: 5n, sequence: 1, tag: 0 })));
  const full: BatchHeader = {
    kind: 'transfer',
    epoch: 0,
    broker: BROKER,
    number: numbers++,
    knownAt: HEIGHT,
    expiryMs: START_MS + 50_000,
    feeCap: 1_000n,
    rows: rows.count,
    root: rowsRootOf(rows),
    ...header,
  };
  const keys = concatBytes(...[...signersOf({ rows, stragglers: [] })].map(blsKeyOf));
  const message = falseAggregate ? new Uint8Array(32) : batchIdOf(GENESIS_HASH, full);
  return encodeBatch({ header: full, rows, stragglers: [], aggregate: distilledAggregate(message, keys) });
}

export function batchIdIn(bytes: Uint8Array): string {
  const header = batchHeaderCodec.decode(bytes.subarray(0, BATCH_HEADER_BYTES));
  return header.ok ? toHex(batchIdOf(GENESIS_HASH, header.value)) : '';
}

/** `directories`: by node; others have all accounts. */
export function networkWithBatches(
  options: Omit<TestNetworkOptions, 'overrides'> & {
    readonly directories?: Readonly<Record<PeerKey, DirectoryColumns>>;
    readonly telemetry?: Telemetry;
  } = {},
) {
  const claims: { readonly peer: PeerKey; readonly count: number }[] = [];
  /** Batch ids of each shared check, in hex. */
  const rounds: (readonly string[])[] = [];
  const network = createTestNetwork({
    ...options,
    genesis: { distilled: { ...DISTILLED_DEFAULTS, rowsPerBlock: ROWS_PER_BLOCK } },
    overrides: (peer) => ({
      ...(options.telemetry && { telemetry: options.telemetry }),
      distilled: {
        directory: options.directories?.[peer] ?? directoryUpTo(HEIGHT),
        verifier: fakeDistilledVerifier((checked) => {
          claims.push({ peer, count: checked.length });
          rounds.push(checked.map(({ message }) => toHex(message)));
        }),
      },
    }),
  });
  return { network, claims, rounds };
}

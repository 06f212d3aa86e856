/** A chain with registered accounts, and brokers that make batches of their rows, with real keys. */
import { createBlsSigner, ed25519PublicKey, ed25519Sign, generateBlsSecretKey } from '@slipstream/crypto/native';
import { fromHex, type PeerKey, sha256, to0x, toHex, uint32le, utf8 } from '@slipstream/primitives';
import { asId, BLS_UNCOMPRESSED_KEY_BYTES, type GenesisHash } from '@slipstream/types';
import { uncompressedKey } from '../../crypto/test/bls-points.ts';
import {
  type Batch,
  type BatchHeader,
  batchIdOf,
  columnsOf,
  type DirectoryView,
  type Row,
  rowsRootOf,
  signersOf,
  stragglerMessage,
} from '../src/index.ts';

export const GENESIS = asId<GenesisHash>(sha256(utf8('distilled')));
export const OTHER_GENESIS = asId<GenesisHash>(sha256(utf8('another chain')));
export const EPOCH = 3;
export const NOW_MS = 1_800_000_000_000;

export interface Account {
  readonly sign: (message: Uint8Array) => Uint8Array;
  readonly publicKey: Uint8Array;
  /** Ed25519. */
  readonly secret: Uint8Array;
  readonly blsSecret: Uint8Array;
}

export function createAccount(name: string | number): Account {
  const secret = sha256(utf8(`account ${name}`));
  const blsSecret = generateBlsSecretKey(secret);
  const { publicKey, signCompressed } = createBlsSigner(blsSecret);
  return { sign: signCompressed, publicKey, secret, blsSecret };
}

export function directoryOf(accounts: readonly Account[]): DirectoryView {
  const keys = new Uint8Array(BLS_UNCOMPRESSED_KEY_BYTES * accounts.length);
  for (const [i, { publicKey }] of accounts.entries())
    keys.set(uncompressedKey(publicKey), BLS_UNCOMPRESSED_KEY_BYTES * i);
  const accountKeys = accounts.map(({ secret }) => ed25519PublicKey(secret));
  return { size: accounts.length, keys, accountKey: (index) => accountKeys[index] };
}

export interface BatchWishes {
  readonly rows: readonly Row[];
  readonly header?: Partial<BatchHeader>;
  /** Positions whose sender signs its row alone. */
  readonly stragglers?: readonly number[];
  readonly straggler?: { readonly expiryMs: number; readonly feeCap: bigint };
  readonly genesisHash?: GenesisHash;
}

export const STRAGGLER = { expiryMs: NOW_MS + 20_000, feeCap: 100_000n };

export function headerOf(rows: readonly Row[], header: Partial<BatchHeader> = {}): BatchHeader {
  return {
    kind: 'transfer',
    epoch: EPOCH,
    broker: toHex(sha256(utf8('broker'))) as PeerKey,
    number: 7,
    knownAt: 20,
    expiryMs: NOW_MS + 10_000,
    feeCap: 1_000n,
    rows: rows.length,
    root: rowsRootOf(columnsOf(rows)),
    ...header,
  };
}

/** Of the group's order. */
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** As a gateway signs for many accounts: with the sum of their secrets, which gives the sum of their signatures. */
export function signTogether(accounts: readonly Account[], message: Uint8Array): Uint8Array {
  const sum = accounts.reduce((total, { blsSecret }) => (total + BigInt(to0x(blsSecret))) % ORDER, 0n);
  return createBlsSigner(fromHex(sum.toString(16).padStart(64, '0'))).signCompressed(message);
}

/** Signed by all senders, each once. */
export function batchOf(accounts: readonly Account[], wishes: BatchWishes): Batch {
  const { rows, genesisHash = GENESIS, straggler: terms = STRAGGLER } = wishes;
  const header = headerOf(rows, wishes.header);
  const stragglers = (wishes.stragglers ?? []).map((position) => {
    const row = rows[position] as Row;
    const { secret } = accounts[row.sender] as Account;
    return { position, ...terms, signature: ed25519Sign(stragglerMessage(genesisHash, row, terms), secret) };
  });
  const batch = { header, rows: columnsOf(rows), stragglers, aggregate: undefined };
  const id = batchIdOf(genesisHash, header);
  const signers = [...signersOf(batch)];
  const signing = signers.map((index) => accounts[index] as Account);
  return { ...batch, aggregate: signing.length === 0 ? undefined : signTogether(signing, id) };
}

export function row(sender: number, recipient: number, amount: number | bigint, sequence = 1, tag = 0): Row {
  return { sender, recipient, amount: BigInt(amount), sequence, tag };
}

/** Rows that only fill a batch: each account pays the next one. */
export function ringOf(count: number, sequence = 1): readonly Row[] {
  return Array.from({ length: count }, (_, i) => row(i, (i + 1) % count, 10 + i, sequence, uint32le(i)[0]));
}

/** Arranges blocks for the tests: accounts by number, transactions without real signatures, a state in a map. */
import type { PeerKey } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  asId,
  decodeTransaction,
  ed25519Account,
  type FeeParameters,
  type Genesis,
  type GenesisHash,
  hexOf,
  OPERATORS_DECIDE,
  type PreparedTransaction,
  type TransactionId,
  transactionCodec,
  validatorIdOf,
} from '@slipstream/types';
import { genesisMember, TEST_TIMES } from '../../types/test/genesis-member.ts';
import {
  type Applications,
  type BlockChunk,
  type ExecuteBlock,
  type ExecutedBlock,
  executeBlock,
  FREE_FEES,
  genesisBatch,
  type ParallelCalls,
  readBalance,
  type Write,
  writesOf,
} from '../src/index.ts';

export const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
export const NOW_MS = 1_800_000_000_000;

export function account(number: number): AccountKey {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  return ed25519Account(bytes);
}

/** The account that a validator's fees go to: numbers from 1,000 on. */
export function producerAccount(index: number): AccountKey {
  return account(1000 + index);
}

let salts = 0;

export interface TransactionForm {
  readonly from?: number;
  readonly actions?: readonly Action[];
  readonly maxFee?: bigint;
  readonly expiryMs?: number;
  readonly genesisHash?: GenesisHash;
  readonly signatureValid?: boolean;
  readonly salt?: number;
}

export function transfer(to: number, amount: bigint): Action {
  return { kind: 'transfer', to: account(to), amount };
}

export function setData(name: string, value: string): Action {
  return { kind: 'setData', name, value: new TextEncoder().encode(value) };
}

export function transaction(form: TransactionForm = {}): PreparedTransaction {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, form.salt ?? ++salts);
  const bytes = transactionCodec.encode({
    body: {
      genesisHash: form.genesisHash ?? GENESIS_HASH,
      sender: account(form.from ?? 1),
      expiryMs: form.expiryMs ?? NOW_MS + 30_000,
      salt,
      maxFee: form.maxFee ?? 0n,
      actions: form.actions ?? [transfer(2, 1n)],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64) },
  });
  return { ...decodeTransaction(bytes), signatureValid: form.signatureValid ?? true };
}

/** Of the first member, by its operator; due at once. */
export function rotationTo({ members }: Genesis, byte: number, epoch = 0): PreparedTransaction {
  const member = members[0] as Genesis['members'][number];
  const keys = {
    blsPublicKey: new Uint8Array(48).fill(byte),
    peerKey: toHex(new Uint8Array(32).fill(byte)) as PeerKey,
  };
  const actions: readonly Action[] = [
    {
      kind: 'rotateKeys',
      ...keys,
      validatorId: validatorIdOf(member.blsPublicKey),
      address: member.address,
      feeAccount: member.feeAccount,
      consent: new Uint8Array(96),
    },
    { kind: 'ready', ...keys, epoch, version: 1, artifacts: [], signature: new Uint8Array(96) },
  ];
  return transaction({ from: 1000, actions });
}

export function genesis(balances: Readonly<Record<number, bigint>>, fees: FeeParameters = FREE_FEES): Genesis {
  return {
    chain: 'test',
    timestampMs: 0,
    development: true,
    members: [0, 1, 2].map((index) =>
      genesisMember(index, {
        weight: 1,
        blsPublicKey: new Uint8Array(48).fill(index + 1),
        peerKey: toHex(producerAccount(index).bytes) as PeerKey,
      }),
    ),
    allocations: Object.entries(balances).map(([number, balance]) => ({ account: account(Number(number)), balance })),
    generated: { seed: new Uint8Array(32), count: 0, balance: 0n },
    fees,
    times: TEST_TIMES,
    state: { history: 4, deadPercent: 100, deadBytesMin: 65_536, deadBytesMax: 16_777_216, moveBytesMax: 1000 },
    trustedIssuers: [],
    leaderReputation: false,
    governance: OPERATORS_DECIDE,
  };
}

/** Its batch in writes. */
export type Executed = Omit<ExecutedBlock, 'batch'> & { readonly batch: readonly Write[] };

export interface Chain {
  execute(transactions: readonly PreparedTransaction[] | readonly BlockChunk[], timestampMs?: number): Executed;
  balance(number: number): bigint;
  /** Sum over every account. */
  supply(): bigint;
  read(key: Uint8Array): Uint8Array | undefined;
  /** Of the next block: views between its parent and it, and its leader. */
  readonly turn: { lostViews: number; proposer: number };
  /** Of the last block. */
  readonly view: number;
  readonly height: number;
  /** The next block is of the next epoch. */
  close(): void;
  /** Forces a value that no execution would give. */
  put(key: Uint8Array, value: Uint8Array): void;
}

/** The next block on a chain, which stays as it is. */
export function blockOn(on: Chain, chunks: readonly BlockChunk[]): ExecuteBlock {
  return {
    genesisHash: GENESIS_HASH,
    epoch: 0,
    view: on.view + 1,
    parentView: on.view,
    height: on.height + 1,
    timestampMs: NOW_MS,
    proposer: 0,
    read: on.read,
    chunks,
    seen: () => false,
  };
}

/** A chain that applies each block's batch to a map. */
export function chain(
  start: Genesis,
  applications?: Applications | (() => Applications),
  parallel?: ParallelCalls,
): Chain {
  const running = () => (typeof applications === 'function' ? applications() : applications);
  const state = new Map<string, Uint8Array>();
  const seen = new Set<string>();
  let height = 0;
  let view = 0;
  let epoch = 0;
  const turn = { lostViews: 0, proposer: 0 };
  const apply = (batch: readonly Write[]) => {
    for (const { key, value } of batch) {
      if (value === undefined) state.delete(toHex(key));
      else state.set(toHex(key), value);
    }
  };
  apply(genesisBatch(start, () => new Uint8Array(32), running()));
  const read = (key: Uint8Array) => state.get(toHex(key));
  return {
    read,
    turn,
    get view() {
      return view;
    },
    get height() {
      return height;
    },
    put: (key, value) => void state.set(toHex(key), value),
    close() {
      epoch += 1;
    },
    balance: (number) => readBalance(read, account(number)),
    supply() {
      let sum = 0n;
      for (const [key, value] of state) {
        if (key.startsWith('61')) sum += new DataView(value.buffer, value.byteOffset).getBigUint64(0, true);
      }
      return sum;
    },
    execute(input, timestampMs = NOW_MS) {
      const chunks = input.every((entry) => 'bytes' in entry)
        ? [{ epoch, producer: 0, transactions: input as readonly PreparedTransaction[] }]
        : (input as readonly BlockChunk[]);
      height += 1;
      const parentView = view;
      view += 1 + turn.lostViews;
      turn.lostViews = 0;
      const block = {
        genesisHash: GENESIS_HASH,
        epoch,
        view,
        parentView,
        height,
        timestampMs,
        proposer: turn.proposer,
        chunks,
        read,
        seen: (id: TransactionId) => seen.has(hexOf(id)),
        applications: running(),
        parallel,
      };
      const executed = executeBlock(block);
      const batch = writesOf(executed.batch);
      apply(batch);
      for (const { transactionId } of executed.receipts) seen.add(hexOf(transactionId));
      for (const { batchId } of executed.batches) seen.add(hexOf(asId<TransactionId>(batchId)));
      return { ...executed, batch };
    },
  };
}

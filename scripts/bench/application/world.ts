/**
 * Chains of many accounts on which only the executor is measured: a read of state is nearly free, and transactions are decoded before.
 *
 * Fees are metered, so each transaction writes its sender's balance.
 */
import {
  type Applications,
  type BlockMemory,
  createBlockMemory,
  type ExecutedBlock,
  executeBlock,
  genesisBatch,
  METERED_FEES,
  NO_APPLICATIONS,
  type ParallelCalls,
  writesOf,
} from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import {
  type Action,
  decodeTransaction,
  type Genesis,
  type PreparedTransaction,
  STATE_KINDS,
  transactionCodec,
} from '@slipstream/types';
import { account, GENESIS_HASH, genesis, NOW_MS } from '../../../packages/execution/test/builders.ts';

/** Above each fee. */
const MAX_FEE = 10_000_000n;
const BALANCE = 10n ** 13n;

export interface BenchChain {
  /** Executes the next block and applies its batch. `executeUs` is what `clock` counts meanwhile. */
  execute(transactions: readonly PreparedTransaction[], clock: () => number): Measured;
}

export interface Measured {
  readonly us: number;
  readonly executed: ExecutedBlock;
}

/** Numbers 1 to `accounts` have coins. */
export function createBenchChain(
  accounts: number,
  listed: Genesis['applications'] = [],
  applications: Applications = NO_APPLICATIONS,
  parallel?: ParallelCalls,
): BenchChain {
  const balances = Object.fromEntries(Array.from({ length: accounts }, (_, i) => [i + 1, BALANCE]));
  const start: Genesis = { ...genesis(balances, METERED_FEES), applications: listed };
  const state = createState(genesisBatch(start, (secret) => secret, applications));
  const memory: BlockMemory = createBlockMemory(new Uint8Array(8));
  let height = 0;
  return {
    execute(transactions, clock) {
      height += 1;
      const startUs = clock();
      const executed = executeBlock({
        genesisHash: GENESIS_HASH,
        epoch: 0,
        view: height,
        parentView: height - 1,
        height,
        timestampMs: NOW_MS,
        proposer: 0,
        chunks: [{ epoch: 0, producer: 0, transactions }],
        read: state.read,
        seen: () => false,
        applications,
        parallel,
        memory,
      });
      const us = clock() - startUs;
      for (const { key, value } of writesOf(executed.batch)) state.set(key, value);
      return { us, executed };
    },
  };
}

interface State {
  readonly read: (key: Uint8Array) => Uint8Array | undefined;
  set(key: Uint8Array, value: Uint8Array | undefined): void;
}

/** Keys of one length and kind that end with an account of the builders are numbers: their look-up takes no text. */
function createState(writes: Iterable<{ readonly key: Uint8Array; readonly value?: Uint8Array | undefined }>): State {
  const byNumber = new Map<number, (Uint8Array | undefined)[]>();
  const others = new Map<string, Uint8Array>();
  /** Behind the account's number all of its bytes are zero. */
  const numberIn = (key: Uint8Array): number => {
    const isEntry = key[0] === STATE_KINDS.entry && key.length === ENTRY_KEY_BYTES;
    if (!isEntry && (key[0] !== STATE_KINDS.account || key.length !== ACCOUNT_KEY_BYTES)) return NONE;
    const at = key.length - ACCOUNT_BYTES;
    for (let i = at + 4; i < key.length; i++) if (key[i] !== 0) return NONE;
    // Without a DataView, which would give memory of its own to each array of a key.
    let number = 0;
    for (let i = at; i < at + 4; i++) number = 256 * number + (key[i] as number);
    return number;
  };
  /** Kind, application below 256 and table. */
  const listOf = (key: Uint8Array): (Uint8Array | undefined)[] => {
    const place = key.length === ACCOUNT_KEY_BYTES ? 0 : 1 + 256 * (key[2] as number) + (key[3] as number);
    let list = byNumber.get(place);
    if (list === undefined) {
      list = [];
      byNumber.set(place, list);
    }
    return list;
  };
  const state: State = {
    read(key) {
      const number = numberIn(key);
      return number === NONE ? others.get(toHex(key)) : listOf(key)[number];
    },
    set(key, value) {
      const number = numberIn(key);
      if (number !== NONE) listOf(key)[number] = value;
      else if (value === undefined) others.delete(toHex(key));
      else others.set(toHex(key), value);
    },
  };
  for (const { key, value } of writes) state.set(key, value);
  return state;
}

const NONE = -1;
const ACCOUNT_BYTES = 32;
const ACCOUNT_KEY_BYTES = 34;
/** Of a table with an account as key. */
const ENTRY_KEY_BYTES = 37;

let salts = 0;

/** Decoded as of a chunk; without a real signature. */
export function prepared(from: number, action: Action): PreparedTransaction {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, ++salts);
  const bytes = transactionCodec.encode({
    body: {
      genesisHash: GENESIS_HASH,
      sender: account(from),
      expiryMs: NOW_MS + 30_000,
      salt,
      maxFee: MAX_FEE,
      actions: [action],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64) },
  });
  return { ...decodeTransaction(bytes), signatureValid: true };
}

/**
 * Carries out calls as a node does: each is a transaction, alone in its block, which the node's executor runs on a state in a map. Its
 * receipt is what a chain gives.
 *
 *   call --> transaction --> executeBlock --> receipt, writes
 *                                \--> realm
 *
 * Prices are zero, and signatures count as valid.
 */
import { COIN_TABLE } from '@slipstream/app/program';
import type { BuildResult } from '@slipstream/app-build';
import { type MeteredProgram, QUERY_TICKS_MAX, TICKS_MAX, TICKS_PER_UNIT } from '@slipstream/app-realm';
import {
  accountStateKey,
  ExecutionError,
  encodeBalance,
  executeBlock,
  genesisBatch,
  readBalance,
  type Write,
  writesOf,
} from '@slipstream/execution';
import { assert, toHex } from '@slipstream/primitives';
import {
  type AccountKey,
  accountKeyFromWire,
  decodeTransaction,
  eventsInOutput,
  failureInOutput,
  limitsOfCall,
  type PreparedTransaction,
  type Receipt,
  STATE_KINDS,
  stateKeyOfEntry,
  transactionCodec,
} from '@slipstream/types';
import type { Call, CallStatus, Execution, Outcome } from '../execution.ts';
import { createInstalled } from './installed.ts';
import { APPLICATION, createQueryHost } from './query-host.ts';
import { GENESIS_HASH, testGenesis } from './test-genesis.ts';
import { createUsage, keyText } from './usage.ts';

const NO_TRANSACTION = new Uint8Array(32);
const NOTHING_USED = { reads: 0, writes: 0, bytes: 0 } as const;
const LIFE_MS = 30_000;
const SUCCESS: CallStatus = { status: 'success' };

export function createNodeExecution({ manifest: { name }, hash }: BuildResult): Execution {
  const state = new Map<string, Uint8Array>();
  /** Of the application's entries, by their keys in the state. */
  const names = new Map<string, string>();
  const installed = createInstalled(hash);
  let transactions = 0;

  const read = (key: Uint8Array) => state.get(toHex(key));
  const usageOf = (sender: Uint8Array) =>
    createUsage({
      sender,
      onKey: (table, key) => void names.set(toHex(stateKeyOfEntry(APPLICATION, table, key)), keyText(table, key)),
    });

  function apply(writes: readonly Write[]): void {
    for (const { key, value } of writes) {
      if (value === undefined) state.delete(toHex(key));
      else state.set(toHex(key), value);
    }
  }

  function run(program: MeteredProgram, call: Call, isCommitted: boolean): Outcome {
    const { applications, observeBy, lastFault } = installed(program);
    const usage = usageOf(call.sender);
    observeBy(usage);
    const prepared = transactionOf(name, call, transactions);
    const { height, timeMs: timestampMs } = call;
    const executed = executeBlock({
      genesisHash: GENESIS_HASH,
      epoch: 0,
      view: height,
      parentView: height - 1,
      height,
      timestampMs,
      proposer: 0,
      chunks: [{ epoch: 0, producer: 0, transactions: [prepared] }],
      read,
      seen: () => false,
      applications,
    });
    const [receipt] = executed.receipts;
    assert(receipt !== undefined, 'a transaction at prices of zero is executed');
    const writes = writesOf(executed.batch).map(({ key, value }) => ({ key: key.slice(), value: value?.slice() }));
    if (isCommitted) {
      apply(writes);
      transactions += 1;
    }
    const result = resultOf(receipt, lastFault());
    const { transactionId } = receipt;
    const ticks = ticksMaxOf(program, call) - program.ticksLeft();
    const outcome = { transactionId, result, ticks, counts: usage.counts() };
    if (result.status !== 'success') return { ...outcome, writes: {}, events: [] };
    return { ...outcome, writes: shownWrites(writes, names), events: eventsInOutput(receipt.output) ?? [] };
  }

  function onQueryHost<T>(program: MeteredProgram, work: () => T): T {
    program.use(createQueryHost(read));
    program.setTicks(QUERY_TICKS_MAX);
    return work();
  }

  return {
    get entries() {
      const known = [...state].flatMap(([key, value]) => {
        const text = names.get(key);
        return text === undefined ? [] : [[text, value] as const];
      });
      return new Map(known);
    },
    balance: (account) => readBalance(read, accountOf(account)),
    setBalance: (account, amount) =>
      apply([{ key: accountStateKey(accountOf(account)).bytes, value: encodeBalance(amount) }]),
    genesis(program, input) {
      const { applications, observeBy } = installed(program);
      observeBy(usageOf(new Uint8Array(33)));
      const outcome = { transactionId: NO_TRANSACTION, writes: {}, events: [], ticks: 0, counts: NOTHING_USED };
      try {
        const genesis = testGenesis({ name, hash, input });
        apply(genesisBatch(genesis, () => NO_TRANSACTION, applications));
        return { ...outcome, result: SUCCESS };
      } catch (error) {
        if (!(error instanceof ExecutionError) || error.code !== 'application-genesis') throw error;
        return { ...outcome, result: { status: 'failed', code: String(error.data.reason) } };
      }
    },
    call: (program, call) => run(program, call, true),
    tryCall: (program, call) => run(program, call, false),
    query: (program, query, input) => onQueryHost(program, () => program.query(query, input)),
    invariants: (program) => onQueryHost(program, program.invariants),
  };
}

/** Each has a body of its own. */
function transactionOf(
  application: string,
  { action, input, sender, timeMs }: Call,
  count: number,
): PreparedTransaction {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, count);
  const bytes = transactionCodec.encode({
    body: {
      genesisHash: GENESIS_HASH,
      sender: accountOf(sender),
      expiryMs: timeMs + LIFE_MS,
      salt,
      maxFee: 0n,
      actions: [{ kind: 'call', application, action, input }],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64) },
  });
  return { ...decodeTransaction(bytes), signatureValid: true };
}

function accountOf(account: Uint8Array): AccountKey {
  return accountKeyFromWire({ scheme: account[0] ?? 0, bytes: account.slice(1) });
}

function ticksMaxOf({ manifest }: MeteredProgram, { action, input }: Call): number {
  const units = manifest.actions.find(({ number }) => number === action)?.units;
  return units === undefined ? 0 : Math.min(TICKS_MAX, limitsOfCall(units, input.length).compute * TICKS_PER_UNIT);
}

function resultOf({ outcome, output }: Receipt, fault: string | undefined): CallStatus {
  if (outcome.status === 'success') return SUCCESS;
  if (outcome.code === 'application-failed') return { status: 'failed', code: failureInOutput(output) ?? outcome.code };
  return { status: 'failed', code: outcome.code, ...(fault !== undefined && { message: fault }) };
}

/** Those of the application and of balances: a block also writes what is the chain's own. */
function shownWrites(writes: readonly Write[], names: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const shown = writes.flatMap(({ key, value }) => {
    const text = key[0] === STATE_KINDS.account ? keyText(COIN_TABLE, key.subarray(1)) : names.get(toHex(key));
    return text === undefined ? [] : [[text, value === undefined ? '' : toHex(value)] as const];
  });
  return Object.fromEntries(shown);
}

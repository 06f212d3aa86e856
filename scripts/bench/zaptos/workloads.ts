/**
 * Workloads of the runs in virtual time, and what a block of them costs on this machine.
 *
 *   transfers  the source's workload
 *   compute    transferMany to 100 accounts: 101 balances are read, added up and written; the costliest action to execute
 *   data       setData of 4,096 bytes of noise: the costliest to write
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeBlock, genesisBatch } from '@slipstream/execution';
import { createDisk } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { sha256, uint32le } from '@slipstream/primitives';
import { EPOCH_MS } from '@slipstream/simulator';
import { openStateStore } from '@slipstream/state';
import {
  type AccountKey,
  type Action,
  decodeTransaction,
  ed25519Account,
  type Genesis,
  type GenesisHash,
  transactionCodec,
} from '@slipstream/types';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { quantile } from '../claim.ts';

export type WorkloadName = 'transfers' | 'compute' | 'data';

const ACCOUNTS = 2_000;
const SENDERS = 100;
const BALANCE = 10n ** 12n;
const OUTPUTS = 100;
const DATA_BYTES = 4_096;
const LIFE_MS = 30_000;

/** Hashes, so that senders have different home validators. */
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ed25519Account(sha256(uint32le(index))));

export const GENESIS: Genesis = {
  ...arrange.genesis({}),
  timestampMs: EPOCH_MS - 1000,
  allocations: accounts.map((account) => ({ account, balance: BALANCE })),
};

const accountOf = (number: number) => accounts[number % ACCOUNTS] as AccountKey;

/** Number by number, so that no two blocks touch only the same keys. */
function actionOf(workload: WorkloadName, number: number): Action {
  switch (workload) {
    case 'transfers':
      return { kind: 'transfer', to: accountOf(number * 7_919), amount: 1n };
    case 'compute': {
      const outputs = Array.from({ length: OUTPUTS }, (_, at) => ({ to: accountOf(number * 7_919 + at), amount: 1n }));
      return { kind: 'transferMany', outputs };
    }
    case 'data':
      return { kind: 'setData', name: `d${Math.floor(number / SENDERS) % 50}`, value: noise(number) };
    default:
      return workload satisfies never;
  }
}

/** Incompressible, because chunks are sent compressed. */
function noise(seed: number): Uint8Array {
  const words = new Uint32Array(DATA_BYTES / 4);
  let at = (seed * 2_654_435_761 + 1) >>> 0;
  for (let i = 0; i < words.length; i++) {
    at ^= at << 13;
    at ^= at >>> 17;
    at ^= at << 5;
    words[i] = at;
  }
  return new Uint8Array(words.buffer);
}

export interface TransactionSetting {
  readonly workload: WorkloadName;
  readonly number: number;
  readonly genesisHash: GenesisHash;
  readonly nowMs: number;
}

/** Serialized. The signature is not checked. */
export function transactionBytes({ workload, number, genesisHash, nowMs }: TransactionSetting): Uint8Array {
  const salt = new Uint8Array(8);
  new DataView(salt.buffer).setUint32(0, number);
  return transactionCodec.encode({
    body: {
      genesisHash,
      sender: accountOf(number % SENDERS),
      expiryMs: nowMs + LIFE_MS,
      salt,
      maxFee: 0n,
      actions: [actionOf(workload, number)],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64) },
  });
}

/** Executor thread, for a block of so many. */
export type ExecuteMs = (transactions: number) => number;

export interface BlockSizes {
  readonly few: number;
  readonly many: number;
  readonly blocks: number;
}

/** Executing and digesting blocks of two sizes with the real executor and state store; linear between. */
export async function measureExecution(workload: WorkloadName, { few, many, blocks }: BlockSizes): Promise<ExecuteMs> {
  // The first blocks compile the code.
  await executionMs(workload, { transactions: many, blocks });
  const fewMs = await executionMs(workload, { transactions: few, blocks });
  const manyMs = await executionMs(workload, { transactions: many, blocks });
  const eachMs = Math.max(0, (manyMs - fewMs) / (many - few));
  return (transactions) => Math.max(0, fewMs + eachMs * (transactions - few));
}

interface Blocks {
  readonly transactions: number;
  readonly blocks: number;
}

/** Median of the thread's time. */
async function executionMs(workload: WorkloadName, { transactions, blocks }: Blocks): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-zaptos-'));
  const { store } = await openStateStore(
    { disk: createDisk({ root }), telemetry: silentTelemetry },
    {
      directory: 'state',
      genesisHash: arrange.GENESIS_HASH,
      genesisBlock: 'genesis',
      genesisBatch: genesisBatch(GENESIS, (secret) => secret),
      parameters: GENESIS.state,
      hashKey: new Uint8Array(8),
    },
  );
  const tookMs: number[] = [];
  let parent = 'genesis';
  try {
    for (let height = 1; height <= blocks; height++) {
      const block = `block ${height}`;
      const chunk = { epoch: 0, producer: 0, transactions: preparedOf(workload, height * transactions, transactions) };
      const beganMs = threadMs();
      const { batch } = executeBlock({
        genesisHash: arrange.GENESIS_HASH,
        epoch: 0,
        view: height,
        parentView: height - 1,
        height,
        timestampMs: arrange.NOW_MS,
        proposer: 0,
        chunks: [chunk],
        read: store.view(parent).get,
        seen: () => false,
      });
      store.prepare(parent, block, batch);
      tookMs.push(threadMs() - beganMs);
      await store.append(block);
      await store.commit(block);
      parent = block;
    }
  } finally {
    await store.close();
    await rm(root, { recursive: true, force: true });
  }
  return quantile(tookMs, 0.5);
}

function preparedOf(workload: WorkloadName, from: number, count: number) {
  const setting = { workload, genesisHash: arrange.GENESIS_HASH, nowMs: arrange.NOW_MS };
  return Array.from({ length: count }, (_, at) => ({
    ...decodeTransaction(transactionBytes({ ...setting, number: from + at })),
    signatureValid: true,
  }));
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Of a byte written and synced, ms, on top of a small write's sync. */
export async function measureWriteMsPerByte(): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-zaptos-'));
  try {
    const file = await createDisk({ root }).open('bytes', { create: true });
    const syncMs = async (bytes: number) => {
      const tookMs: number[] = [];
      for (let round = 0; round < WRITES; round++) {
        const beganMs = performance.now();
        await file.write(round * bytes, [new Uint8Array(bytes)]);
        await file.sync();
        tookMs.push(performance.now() - beganMs);
      }
      return quantile(tookMs, 0.5);
    };
    const small = await syncMs(SMALL_BYTES);
    const large = await syncMs(LARGE_BYTES);
    await file.close();
    return Math.max(0, (large - small) / (LARGE_BYTES - SMALL_BYTES));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const WRITES = 10;
const SMALL_BYTES = 4_096;
const LARGE_BYTES = 4 * 1024 * 1024;

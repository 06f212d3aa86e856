/**
 * Bench: cost and savings of executing disjoint groups in worker threads. `npx node packages/execution/bench/parallel.ts`
 *
 *   here:    execute                                        (the executor's own thread)
 *   groups:  state of the group's keys, transactions --message--> worker: decode, execute --message--> batch, receipts: merge
 *
 * Measured is the CPU time of the calling thread, so that other load matters little. Groups are ideal: no two transactions share a key, all
 * groups have the same size, and finding them is free.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import {
  type Action,
  asId,
  decodeTransaction,
  type GenesisHash,
  type PreparedTransaction,
  transactionCodec,
} from '@slipstream/types';
import { accountStateKey, encodeBalance, epochEntries, executeBlock, writesOf } from '../src/index.ts';
import { genesis } from '../test/builders.ts';
import { account } from './account.ts';

const WORKERS = 2;
const ROUNDS = 12;
const WARM_UP = 4;
const genesisHash = asId<GenesisHash>(new Uint8Array(32));
const BALANCE = encodeBalance(1_000_000_000n) as Uint8Array;

interface Group {
  readonly transactions: readonly Uint8Array[];
  readonly keys: readonly string[];
  readonly values: readonly Uint8Array[];
}

interface Done {
  /** CPU time of the worker since its last answer, including reading the message and writing the previous one. */
  readonly workerUs: number;
  readonly batch: ReturnType<typeof executeBlock>['batch'];
  readonly receiptBytes: readonly Uint8Array[];
}

/** Map key of a state key. */
const nameOf = (key: Uint8Array): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');

const EPOCH = new Map(epochEntries(genesis({})).map(({ key, value }) => [nameOf(key), value]));

function execute(transactions: readonly PreparedTransaction[], read: (key: Uint8Array) => Uint8Array | undefined) {
  return executeBlock({
    genesisHash,
    epoch: 0,
    view: 1,
    parentView: 0,
    height: 1,
    timestampMs: 1,
    proposer: 0,
    chunks: [{ epoch: 0, producer: 0, transactions }],
    read: (key) => read(key) ?? EPOCH.get(nameOf(key)),
    seen: () => false,
  });
}

const prepared = (bytes: Uint8Array): PreparedTransaction => ({ ...decodeTransaction(bytes), signatureValid: true });

function work({ transactions, keys, values }: Group): Omit<Done, 'workerUs'> {
  const state = new Map(keys.map((key, at) => [key, values[at] as Uint8Array]));
  const { batch, receiptBytes } = execute(transactions.map(prepared), (key) => state.get(nameOf(key)));
  return { batch, receiptBytes };
}

function transactionOf(number: number, outputs: number): Uint8Array {
  const first = number * (outputs + 1);
  const to = (at: number) => account(first + 1 + at);
  const action: Action =
    outputs === 1
      ? { kind: 'transfer', to: to(0), amount: 1n }
      : { kind: 'transferMany', outputs: Array.from({ length: outputs }, (_, at) => ({ to: to(at), amount: 1n })) };
  return transactionCodec.encode({
    body: {
      genesisHash,
      sender: account(first),
      expiryMs: 30_000,
      maxFee: 0n,
      actions: [action],
      salt: new Uint8Array(8),
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64) },
  });
}

const cpuUs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

async function measure(name: string, count: number, outputs: number, workers: readonly Worker[]): Promise<void> {
  const state = new Map<string, Uint8Array>();
  const keysOf = (number: number) =>
    Array.from({ length: outputs + 1 }, (_, at) => nameOf(accountStateKey(account(number * (outputs + 1) + at)).bytes));
  for (let number = 0; number < count; number++) for (const key of keysOf(number)) state.set(key, BALANCE);
  const raw = Array.from({ length: count }, (_, number) => transactionOf(number, outputs));
  const transactions = raw.map(prepared);
  const keys = raw.map((_, number) => keysOf(number));
  let hereUs = 0;
  let groupsUs = 0;
  let workersUs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const beginUs = cpuUs();
    const { receiptBytes } = execute(transactions, (key) => state.get(nameOf(key)));
    const executedUs = cpuUs();
    const merged: Done[] = await Promise.all(
      workers.map((worker, index) => {
        const mine = raw.flatMap((_, number) => (number % workers.length === index ? [number] : []));
        const groupKeys = mine.flatMap((number) => keys[number] as string[]);
        worker.postMessage({
          transactions: mine.map((number) => raw[number] as Uint8Array),
          keys: groupKeys,
          values: groupKeys.map((key) => state.get(key) as Uint8Array),
        } satisfies Group);
        return new Promise<Done>((done) => worker.once('message', done));
      }),
    );
    const batch = merged.flatMap((part) => writesOf(part.batch));
    const receipts = merged.flatMap((part) => part.receiptBytes);
    const mergedUs = cpuUs();
    if (receipts.length !== receiptBytes.length || batch.length < count)
      throw new Error('the groups did something else');
    if (round < WARM_UP) continue;
    hereUs += executedUs - beginUs;
    groupsUs += mergedUs - executedUs;
    workersUs += merged.reduce((sum, part) => sum + part.workerUs, 0);
  }
  const per = (us: number) => (us / ((ROUNDS - WARM_UP) * count)).toFixed(1);
  const parts = `handing over and merging ${per(groupsUs)}, in ${WORKERS} workers ${per(workersUs)}`;
  console.log(`${name}, us a transaction: here ${per(hereUs)}; in groups: ${parts}`);
}

if (isMainThread) {
  const workers = Array.from({ length: WORKERS }, () => new Worker(new URL(import.meta.url)));
  await measure('transfer', 5_000, 1, workers);
  await measure('transferMany of 10', 2_000, 10, workers);
  await measure('transferMany of 100', 400, 100, workers);
  await Promise.all(workers.map((worker) => worker.terminate()));
} else {
  let lastUs = cpuUs();
  parentPort?.on('message', (group: Group) => {
    const done = work(group);
    const nowUs = cpuUs();
    parentPort?.postMessage({ ...done, workerUs: nowUs - lastUs } satisfies Done);
    lastUs = nowUs;
  });
}

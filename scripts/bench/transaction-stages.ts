/**
 * `npx node scripts/bench/transaction-stages.ts`: a node's work for each transaction of a received chunk.
 *
 *   chunk's bytes --open--> --open and decode at the executor--> --execute--> receipts tree, accounts --> ledger --> news
 *
 * Plain transfers, on one thread. The unit is the processor time of one Ed25519 verification of the same run, because other load slows
 * both.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BODIES, openChunkFiles } from '@slipstream/chunk-files';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';
import { accountStateKey, encodeBalance, epochEntries, executeBlock, writesOf } from '@slipstream/execution';
import { createAccountLists } from '@slipstream/ledger';
import { createDisk, createRandom, openKeyValue } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { assert, sha256, toHex, uint32le } from '@slipstream/primitives';
import {
  addUnits,
  asId,
  type BlockId,
  type Committee,
  chunkBodyCodec,
  createCredentialMemory,
  decodeTransaction,
  ed25519Account,
  GENESIS_EPOCH,
  type GenesisHash,
  genesisBlock,
  height,
  hexOf,
  merkleRoot,
  signedChunkCodec,
  type Transaction,
  transactionCodec,
  unitsOf,
} from '@slipstream/types';
import { createChunkProvider } from '../../apps/node/src/executor/chunk-provider.ts';
import { decodeCommitted, encodeCommitted } from '../../apps/node/src/executor/committed-summary.ts';
import { openChunk } from '../../packages/dissemination/src/chunks/chunk.ts';
import { soleCommittee } from '../../packages/dissemination/test/harness/genesis-epochs.ts';
import { genesis } from '../../packages/execution/test/builders.ts';
import { packBody } from '../../packages/ledger/src/bodies.ts';
import { touchedAccounts } from '../../packages/pipeline/src/touched-accounts.ts';
import { print } from '../print.ts';

const TRANSACTIONS = 400;
const BLOCKS = 100;
/** Until the code is compiled. */
const WARM_UP_BLOCKS = 50;
const ACCOUNTS = 500;
const VERIFICATIONS = 3_000;
/** Between stages, for the compiler's and the collector's threads. */
const SETTLE_MS = 20;
const NOW_MS = 1_700_000_000_000;

const genesisHash = asId<GenesisHash>(sha256(uint32le(1)));
const keys = Array.from({ length: ACCOUNTS }, (_, i) => ed25519PublicKey(sha256(uint32le(i))));
const unitsMax = [1e12, 1e12, 1e12, 1e12, 1e12];
const committee = {
  epoch: GENESIS_EPOCH,
  members: Array.from({ length: 4 }, (_, index) => ({
    index,
    weight: 1,
    blsPublicKey: new Uint8Array(48).fill(index),
  })),
} as unknown as Committee;
const EPOCH = new Map(epochEntries(genesis({})).map(({ key, value }) => [toHex(key), value]));
const state = new Map(keys.map((key) => [accountStateKey(ed25519Account(key)).text, encodeBalance(10n ** 12n)]));
const usedUs = new Map<string, number>();
let counts = false;

function threadUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function note(name: string, us: number): void {
  if (counts) usedUs.set(name, (usedUs.get(name) ?? 0) + us);
}

function stage<T>(name: string, work: () => T): T {
  const startUs = threadUs();
  const made = work();
  note(name, threadUs() - startUs);
  return made;
}

async function stageOf<T>(name: string, work: () => Promise<T>, clockUs = threadUs): Promise<T> {
  const startUs = clockUs();
  const made = await work();
  note(name, clockUs() - startUs);
  return made;
}

function verificationUs(): number {
  const [secret, message] = [sha256(uint32le(0)), sha256(uint32le(7))];
  const signature = ed25519Sign(message, secret);
  const startUs = threadUs();
  for (let i = 0; i < VERIFICATIONS; i++) {
    assert(ed25519Verify(keys[0] as Uint8Array, message, signature), 'a good signature is good');
  }
  return (threadUs() - startUs) / VERIFICATIONS;
}

function transfer(number: number): Uint8Array {
  const account = (at: number) => ed25519Account(keys[at % ACCOUNTS] as Uint8Array);
  return transactionCodec.encode({
    body: {
      genesisHash,
      sender: account(number * 7_919),
      maxFee: 1_000n,
      expiryMs: NOW_MS + 30_000 + (number % 1_000),
      salt: sha256(uint32le(number)).slice(0, 8),
      actions: [{ kind: 'transfer', to: account(number * 104_729 + 1), amount: 1n }],
    },
    auth: { scheme: 'ed25519', signature: new Uint8Array(64).fill(number) },
  });
}

function chunkOf(sequence: number): Uint8Array {
  const transactions = Array.from({ length: TRANSACTIONS }, (_, i) => transfer(sequence * TRANSACTIONS + i));
  const body = chunkBodyCodec.encode({ transactions, batches: [] });
  const units = transactions.map((each) => unitsOf(decodeTransaction(each).transaction, each.length)).reduce(addUnits);
  const header = {
    epoch: GENESIS_EPOCH,
    producer: 1,
    sequence,
    createdMs: NOW_MS,
    expiryMs: NOW_MS + 10_000,
    bodyHash: sha256(body),
    bodyBytes: body.length,
    transactionCount: TRANSACTIONS,
    batchCount: 0,
    rowCount: 0,
    units,
    acksWanted: false,
  };
  return signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) });
}

const folder = await mkdtemp(join(tmpdir(), 'slipstream-stages-'));
const bodies = await openChunkFiles(
  {
    disk: createDisk({ root: folder }),
    index: await openKeyValue({ location: join(folder, 'ledger') }),
    random: createRandom(),
    telemetry: silentTelemetry,
  },
  { directory: 'block-files', genesisHash, contents: BODIES },
);
const rules = {
  committees: soleCommittee(committee, unitsMax),
  rules: { unitsOf: (transaction: Transaction | undefined, bytes: number) => unitsOf(transaction, bytes) },
  credentials: createCredentialMemory(),
};
const unitUs = [verificationUs()];

for (let at = 1; at <= BLOCKS; at++) {
  counts = at > WARM_UP_BLOCKS;
  const bytes = chunkOf(at);
  const opened = stage('open a chunk', () => openChunk(bytes, rules));
  assert(opened.ok, 'a sound chunk opens');
  const ids = stage('ids in hexadecimal', () => opened.value.transactions.map(({ id }) => hexOf(id)));
  const supplied = {
    bytes,
    verdicts: new Uint8Array(TRANSACTIONS),
    ids: new Uint8Array(Buffer.from(ids.join(''), 'hex')),
    batches: new Uint8Array(0),
  };
  const blockId = asId<BlockId>(sha256(uint32le(at)));
  const payload = [{ chunkId: opened.value.id, certificate: undefined }];
  const block = { ...genesisBlock(genesisHash, NOW_MS), height: height(at), payload };
  const provider = createChunkProvider({ request: async () => [supplied], chunks: { put: async () => {} } });
  const { signal } = new AbortController();
  const [chunk] = await stageOf('open it at the executor', () => provider.chunksOf(blockId, block, signal));
  assert(chunk !== undefined, 'a block is provided with its chunk');
  const { producer, transactions } = chunk;
  const decoded = stage('decode it there', () => [...transactions]);
  const executed = stage('execute', () =>
    executeBlock({
      genesisHash,
      epoch: 0,
      view: at,
      parentView: at - 1,
      height: at,
      timestampMs: NOW_MS,
      proposer: 0,
      chunks: [{ epoch: 0, producer, transactions: decoded }],
      seen: () => false,
      read: (key) => state.get(toHex(key)) ?? EPOCH.get(toHex(key)),
    }),
  );
  assert(executed.receipts.length === TRANSACTIONS, 'every transfer is executed');
  for (const { key, value } of writesOf(executed.batch)) state.set(toHex(key), value);
  stage('receipts tree', () => merkleRoot(executed.receiptBytes));
  const accounts = stage('accounts of receipts', () => {
    const lists = createAccountLists();
    for (const { transaction } of decoded) lists.add(transaction ? touchedAccounts(transaction) : []);
    return lists.packed();
  });
  const body = stage('ledger: body', () => packBody({ receipts: executed.receiptBytes, accounts }));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await stageOf('ledger: files, all threads', () => bodies.put(at, [{ chunkId: blockId, bytes: body }]), processUs);
  stage('news of the block, both ends', () =>
    decodeCommitted(encodeCommitted({ ...executed, batches: [], blockId, block, executeMs: 0, times: {} }, undefined)),
  );
}
unitUs.push(verificationUs());
const unit = Math.min(...unitUs);
print(`one verification ${unit.toFixed(1)} us of processor; each stage a transaction, in verifications:`);
let sum = 0;
for (const [name, us] of usedUs) {
  const share = us / ((BLOCKS - WARM_UP_BLOCKS) * TRANSACTIONS) / unit;
  sum += share;
  print(`  ${name.padEnd(32)} ${share.toFixed(3)}`);
}
print(`  ${'together'.padEnd(32)} ${sum.toFixed(3)}`);
await bodies.close();
await rm(folder, { recursive: true });

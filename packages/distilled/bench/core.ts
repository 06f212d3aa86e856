/**
 * The `distilled-core` bench: what a row costs a node by itself, against one Ed25519 verification of the same run.
 *
 * Claims, CPU time of all threads a row: decode_us (wire form to columns), tree_us (root), verify_us (key sum, pairings shared by the batches
 * that wait together, straggler signatures), execute_us, outcomes_us (runs, tree); row_us, their sum; row_verifications, of one Ed25519
 * verification (ed25519_us). It is no throughput: network, storage, state and threads are not in it.
 *
 * Each row of a batch has another sender, so each costs a key. One row of a hundred has a straggler signature.
 */
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';
import { sha256, uint32le } from '@slipstream/primitives';
import {
  type BenchOptions,
  type Claim,
  claim,
  cpuUs,
  median,
  printRows,
  printTable,
} from '../../../scripts/bench/claim.ts';

import { checkDistilledClaims } from '../../crypto/src/native/distilled-check.ts';
import {
  type Accounts,
  type Batch,
  type BatchClaims,
  checkBatchForm,
  createAccounts,
  decodeBatch,
  encodeBatch,
  encodeOutcomes,
  executeBatch,
  outcomesRootOf,
  rowsRootOf,
} from '../src/index.ts';
import { type Account, batchOf, createAccount, directoryOf, EPOCH, GENESIS, NOW_MS, row } from '../test/world.ts';

/** `together`: batches that share pairings, as wait at a node that takes 10,000 rows a second. */
const FULL = { accounts: 10_000, rows: 1_000, together: 4, rounds: 15, verifications: 1_000 };
const SMOKE = { accounts: 300, rows: 200, together: 2, rounds: 2, verifications: 50 };
type Size = typeof FULL;

const SIZES = { rows: [100, 300, 1_000, 3_000, 8_000], together: [1, 4], rounds: 5 };

const STRAGGLER_EVERY = 100;
const FEES = { row: 20n, straggler: 300n };

const PARTS = ['decode', 'tree', 'verify', 'execute', 'outcomes'] as const;
type Part = (typeof PARTS)[number];

export async function run({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  const people = Array.from({ length: size.accounts }, (_, i) => createAccount(i));
  const { samples, ed25519 } = measure(people, size);
  drawSizes(people, size, draw);
  return claimsOf(samples, median(ed25519), size);
}

interface Samples {
  readonly samples: Readonly<Record<Part, number[]>>;
  readonly ed25519: number[];
}

function measure(people: readonly Account[], size: Size): Samples {
  const directory = directoryOf(people);
  const accounts = fundedAccounts(size.accounts);
  const samples: Record<Part, number[]> = { decode: [], tree: [], verify: [], execute: [], outcomes: [] };
  const ed25519: number[] = [];
  for (let round = 0; round < size.rounds; round++) {
    const encoded = Array.from({ length: size.together }, (_, nth) =>
      encodeBatch(makeBatch(people, round * size.together + nth, size)),
    );
    const costs = costsOf(encoded, accounts, directory);
    for (const part of PARTS) samples[part].push(costs[part] / (size.together * size.rows));
    ed25519.push(verificationUs(size.verifications));
  }
  return { samples, ed25519 };
}

const rowUsOf = (samples: Samples['samples']): number => PARTS.reduce((sum, part) => sum + median(samples[part]), 0);

/** What a broker gains by waiting for more rows, and a node by batches that wait together. */
function drawSizes(people: readonly Account[], size: Size, draw: BenchOptions['draw']): void {
  const { rows, together } = SIZES;
  const fitting = rows.filter((each) => each <= size.accounts);
  const lines = together.map((count) => ({
    name: count === 1 ? 'alone' : `${count} together`,
    values: fitting.map((each) => {
      const rounds = Math.min(size.rounds, SIZES.rounds);
      const { samples, ed25519 } = measure(people, { ...size, rows: each, together: count, rounds });
      return rowUsOf(samples) / median(ed25519);
    }),
  }));
  printTable(
    'A row by the size of its batch, verifications',
    ['', ...fitting.map(String)],
    lines.map(({ name, values }) => [name, ...values]),
  );
  draw({
    title: 'A row by the size of its batch',
    about: 'CPU time, as a share of one Ed25519 verification of the same run.',
    unit: 'verifications',
    x: { name: 'rows of a batch', unit: '', values: fitting, isLogarithmic: true },
    lines,
  });
}

function claimsOf(samples: Readonly<Record<Part, number[]>>, ed25519Us: number, { rounds }: Size): Claim[] {
  const rowUs = rowUsOf(samples);
  const claims = [
    claim('row_us', rowUs, 'us', rounds),
    ...PARTS.map((part) => claim(`${part}_us`, median(samples[part]), 'us', rounds)),
    claim('ed25519_us', ed25519Us, 'us', rounds),
    claim('row_verifications', rowUs / ed25519Us, 'share', rounds),
  ];
  printRows(
    'A row, CPU time',
    claims.map(({ name, value, unit }) => [name, value, unit]),
  );
  return claims;
}

function fundedAccounts(count: number): Accounts {
  const accounts = createAccounts(count);
  for (let i = 0; i < count; i++) accounts.append({ balance: 10n ** 12n, last: 0, mask: 0n, retired: false });
  return accounts;
}

/** Senders spread over the directory, another part of it for each batch. */
function makeBatch(people: readonly Account[], nth: number, { accounts, rows }: Size): Batch {
  const step = Math.floor(accounts / rows);
  const from = nth % step;
  const all = Array.from({ length: rows }, (_, i) =>
    row(from + step * i, (nth * 7919 + i * 104_729) % accounts, 1_000 + i, 1 + nth),
  );
  const stragglers = [...all.keys()].filter((position) => position % STRAGGLER_EVERY === 0);
  return batchOf(people, { rows: all, stragglers });
}

function costsOf(
  encoded: readonly Uint8Array[],
  accounts: Accounts,
  directory: ReturnType<typeof directoryOf>,
): Record<Part, number> {
  let batches: readonly Batch[] = [];
  const claims: BatchClaims[] = [];
  const outcomes: Uint8Array[] = [];
  const decode = cpuUs(() => {
    batches = encoded.map(decoded);
  });
  const tree = cpuUs(() => {
    for (const { rows } of batches) rowsRootOf(rows);
  });
  const verify = cpuUs(() => {
    for (const batch of batches) claims.push(formOf(batch, directory));
    const aggregates = claims.flatMap(({ aggregate }) => aggregate ?? []);
    must(checkDistilledClaims(aggregates, () => {}).valid.every(Boolean));
    for (const { publicKey, message, signature } of claims.flatMap(({ stragglers }) => stragglers)) {
      must(ed25519Verify(publicKey, message, signature));
    }
  });
  const execute = cpuUs(() => {
    for (const batch of batches)
      outcomes.push(executeBatch(accounts, batch, { fees: FEES, timestampMs: NOW_MS }).outcomes);
  });
  const prove = cpuUs(() => {
    for (const each of outcomes) {
      encodeOutcomes(each);
      outcomesRootOf(each);
    }
  });
  must(outcomes.every((each) => each.every((outcome) => outcome === 0)));
  // The form has the root as well: it is counted once.
  return { decode, tree, verify: verify - tree, execute, outcomes: prove };
}

function decoded(bytes: Uint8Array): Batch {
  const batch = decodeBatch(bytes);
  if (!batch.ok) throw new Error(batch.error.message);
  return batch.value;
}

function formOf(batch: Batch, directory: ReturnType<typeof directoryOf>): BatchClaims {
  const claims = checkBatchForm(batch, { genesisHash: GENESIS, epoch: EPOCH, directory });
  if (!claims.ok) throw new Error(claims.error);
  return claims.value;
}

function verificationUs(count: number): number {
  const secret = sha256(uint32le(7));
  const publicKey = ed25519PublicKey(secret);
  const message = sha256(uint32le(8));
  const signature = ed25519Sign(message, secret);
  const us = cpuUs(() => {
    for (let i = 0; i < count; i++) must(ed25519Verify(publicKey, message, signature));
  });
  return us / count;
}

function must(holds: boolean): void {
  if (!holds) throw new Error('a valid batch failed');
}

/**
 * 128 signatures at once against one by one, by the verifier: of one message, of one key, all distinct; and Ed25519 over its threads.
 *
 *   there (DFINITY)  128 signatures: distinct 1.48, same message 20.9, same key 34.8; threads on top of batching, 8 of them: 3 to 7
 *   here             the same, and by size; threads: as many as the machine has cores
 *
 * What differs: batches are blinded, as each signature is answered for itself; a quorum is not, because its sum IS the certificate. One by
 * one is the verifier's check of a single vote. The CPU ratio is what one core gains; the binding's multi-pairing uses all.
 *
 * BOUND of the same key in G1: e(pk, sum of r_i H(m_i)) needs one pairing, and per message a hash to G2 and two multiplications there. The
 * binding has no such hash and no fixed coefficients, so its call without blinding bounds every batch; measured as well.
 */
import { availableParallelism } from 'node:os';
import blst from '@chainsafe/blst';
import type { AccountSignature, Statement } from '@slipstream/ports';
import { sha256, uint32le } from '@slipstream/primitives';
import { GENESIS_EPOCH } from '@slipstream/types';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../../../scripts/bench/claim.ts';
import { type BlsPublicKey, type BlsSignature, decodeSignatureUnchecked } from '../src/native/binding.ts';
import { createCommitteeKeys } from '../src/native/committee-keys.ts';
import { checkedCommittees } from '../src/native/committees.ts';
import {
  createBlsSigner,
  createWorkerVerifier,
  ed25519PublicKey,
  ed25519Sign,
  ed25519Verify,
  generateBlsSecretKey,
  type VerifierService,
} from '../src/native/index.ts';
import { createVerifierCore } from '../src/native/verifier-core.ts';

const COUNT = 128;
const SIGNATURE_BYTES = 192;

const signers = Array.from({ length: COUNT }, (_, index) =>
  createBlsSigner(generateBlsSecretKey(sha256(uint32le(index)))),
);
const publicKeys = signers.map(({ publicKey }) => publicKey);
const keys = createCommitteeKeys(publicKeys);
const committees = [{ epoch: GENESIS_EPOCH, publicKeys }];
const known = checkedCommittees(committees);
const messages = Array.from({ length: COUNT }, (_, index) => sha256(uint32le(1000 + index)));
const message = messages[0] as Uint8Array;
const sameMessage = signers.map(({ sign }) => sign(message));
const sameKey = messages.map((each) => (signers[0] as (typeof signers)[number]).sign(each));
const distinct = signers.map(({ sign }, index) => sign(messages[index] as Uint8Array));

const core = createVerifierCore({ monotonicMs: () => performance.now() });
const never = (): void => {};

function must(valid: boolean): void {
  if (!valid) throw new Error('a valid batch failed');
}

function decode(bytes: Uint8Array): BlsSignature {
  const signature = decodeSignatureUnchecked(bytes, SIGNATURE_BYTES);
  if (signature === undefined) throw new Error('a valid signature was not decoded');
  return signature;
}

const voteOn = (at: number, signer: number, signature: Uint8Array): Statement => ({
  kind: 'vote',
  epoch: GENESIS_EPOCH,
  message: messages[at] as Uint8Array,
  signer,
  signature,
});
const STATEMENTS = {
  same_message: sameMessage.map((signature, at) => voteOn(0, at, signature)),
  same_key: sameKey.map((signature, at) => voteOn(at, 0, signature)),
  distinct: distinct.map((signature, at) => voteOn(at, at, signature)),
} as const;

function oneByOne(statements: readonly Statement[]): void {
  for (const statement of statements) must(core.checkBatch([statement], known, never).valid.every(Boolean));
}

function together(statements: readonly Statement[]): void {
  must(core.checkBatch(statements, known, never).valid.every(Boolean));
}

interface Comparison {
  readonly statements: readonly Statement[];
  /** Of the statements. */
  readonly batch: () => void;
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  same_message: {
    statements: STATEMENTS.same_message,
    batch() {
      const votes = sameMessage.map((signature, signer) => ({ signer, signature, verified: false }));
      const request = { epoch: GENESIS_EPOCH, message, votes };
      must(core.checkQuorum(request, known, never).aggregate !== undefined);
    },
  },
  same_message_blinded: {
    statements: STATEMENTS.same_message,
    batch: () => together(STATEMENTS.same_message),
  },
  same_key_unblinded: {
    statements: STATEMENTS.same_key,
    batch() {
      const sum = blst.aggregateSignatures(sameKey.map(decode));
      const keysOfAll = messages.map(() => keys.key(0) as BlsPublicKey);
      must(blst.aggregateVerify(messages, keysOfAll, sum, false, true));
    },
  },
  same_key: { statements: STATEMENTS.same_key, batch: () => together(STATEMENTS.same_key) },
  distinct: { statements: STATEMENTS.distinct, batch: () => together(STATEMENTS.distinct) },
};

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

function measure(work: () => void): Cost {
  const cpu = process.cpuUsage();
  const start = performance.now();
  work();
  const ms = performance.now() - start;
  const used = process.cpuUsage(cpu);
  return { ms, cpuMs: (used.user + used.system) / 1000 };
}

function benchBls(smoke: boolean): Claim[] {
  const rounds = smoke ? 1 : 15;
  const claims: Claim[] = [];
  const rows: (string | number)[][] = [];
  for (const [name, { statements, batch }] of Object.entries(COMPARISONS)) {
    const costs: { readonly single: Cost; readonly batch: Cost }[] = [];
    for (let round = 0; round < rounds; round++) {
      costs.push({ single: measure(() => oneByOne(statements)), batch: measure(batch) });
    }
    const median = (read: (cost: (typeof costs)[number]) => number): number => quantile(costs.map(read), 0.5);
    const [singleMs, batchMs] = [median((cost) => cost.single.ms), median((cost) => cost.batch.ms)];
    const cpuRatio = median((cost) => cost.single.cpuMs) / median((cost) => cost.batch.cpuMs);
    rows.push([name.replaceAll('_', ' '), singleMs, batchMs, singleMs / batchMs, cpuRatio]);
    claims.push(claim(`${name}_ratio`, singleMs / batchMs, 'ratio', rounds));
    claims.push(claim(`${name}_cpu_ratio`, cpuRatio, 'ratio', rounds));
  }
  printTable(`${COUNT} BLS signatures, ms`, ['', 'one by one', 'batch', 'ratio', 'CPU ratio'], rows);
  return claims;
}

const SIZES = [1, 2, 4, 8, 16, 32, 64, 128];
const DFINITY_AT_128 = { 'same message': 20.9, 'same key': 34.8, distinct: 1.48 };

/** What a batch gains by its size, on all cores. */
function drawSizes({ smoke, draw }: BenchOptions): void {
  const rounds = smoke ? 1 : 7;
  const lines = Object.entries(STATEMENTS).map(([name, statements]) => {
    const values = SIZES.map((size) => {
      const some = statements.slice(0, size);
      const ratios = Array.from({ length: rounds }, () => {
        const singleMs = measure(() => oneByOne(some)).ms;
        return singleMs / measure(() => together(some)).ms;
      });
      return quantile(ratios, 0.5);
    });
    return { name: name.replaceAll('_', ' '), values };
  });
  const there = Object.entries(DFINITY_AT_128).map(([name, value]) => ({
    name: `DFINITY, ${name}, 128`,
    values: SIZES.map(() => value),
  }));
  printTable(
    'A batch against one by one, by size',
    ['', ...SIZES.map(String)],
    lines.map(({ name, values }) => [name, ...values]),
  );
  draw({
    title: 'Batches of BLS signatures by size',
    about: 'How many times as fast as one by one, on all cores; every batch is blinded.',
    unit: 'times',
    x: { name: 'signatures in a batch', unit: '', values: SIZES, isLogarithmic: true },
    lines: [...lines, ...there],
  });
}

const JOB = 16;
const BAD = [0, 1, 2, 4, 8, 16];

/** What bad statements spread over a job cost, against one by one: the worst is what an attacker gets for its messages. */
function benchBad({ smoke, draw }: BenchOptions): Claim {
  const rounds = smoke ? 1 : 15;
  const some = STATEMENTS.distinct.slice(0, JOB);
  const costs = BAD.map((count) => {
    const isBad = (at: number): boolean => count > 0 && at % (JOB / count) === 0;
    const mixed = some.map((statement, at) => (isBad(at) ? { ...statement, message: sha256(message) } : statement));
    const ratios = Array.from({ length: rounds }, () => {
      const single = measure(() => {
        for (const [at, statement] of mixed.entries())
          must(core.checkBatch([statement], known, never).valid[0] !== isBad(at));
      });
      const batch = measure(() => {
        must(core.checkBatch(mixed, known, never).valid.every((valid, at) => valid !== isBad(at)));
      });
      return batch.cpuMs / single.cpuMs;
    });
    return quantile(ratios, 0.5);
  });
  printTable(
    `A job of ${JOB} with bad statements, CPU of one by one`,
    BAD.map((count) => `${count} bad`),
    [costs],
  );
  draw({
    title: `A job of ${JOB} with bad statements`,
    about: 'CPU time against the same statements checked one by one.',
    unit: 'times',
    kind: 'bars',
    x: { name: 'bad statements', unit: '', values: BAD.map(String) },
    lines: [{ name: 'batch and bisection', values: costs }],
  });
  return claim('bad_cpu_of_single', Math.max(...costs), 'ratio', rounds);
}

/** A batch over the threads of the verifier, against the same batch on one core: the source's further 3 to 7 on 8 threads. */
async function benchThreads(smoke: boolean): Promise<Claim[]> {
  const workers = availableParallelism();
  const service = startService(workers);
  const rounds = smoke ? 1 : 15;
  const rows: (readonly [string, number, number, number])[] = [];
  const claims: Claim[] = [];
  for (const name of ['same_message', 'same_key', 'distinct'] as const) {
    const statements = STATEMENTS[name];
    await service.verifier.checkBatch(statements, 'client');
    const [onOneMs, spreadMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      onOneMs.push(measure(() => together(statements)).cpuMs);
      const startMs = performance.now();
      must((await service.verifier.checkBatch(statements, 'client')).every(Boolean));
      spreadMs.push(performance.now() - startMs);
    }
    const [one, spread] = [quantile(onOneMs, 0.5), quantile(spreadMs, 0.5)];
    rows.push([name.replaceAll('_', ' '), one, spread, one / spread]);
    claims.push(claim(`${name}_threads_ratio`, one / spread, 'ratio', rounds));
  }
  await service.stop();
  printTable(`A batch of ${COUNT}, ms`, ['', 'one core', `service, ${workers} threads`, 'ratio'], rows);
  return claims;
}

function startService(workers: number): VerifierService {
  const onFailure = (error: Error): void => {
    throw error;
  };
  return createWorkerVerifier({ workers, committees, onFailure });
}

async function benchEd25519(smoke: boolean): Promise<Claim> {
  const batch: AccountSignature[] = Array.from({ length: smoke ? COUNT : 16 * COUNT }, (_, index) => {
    const secret = sha256(uint32le(index));
    const body = messages[index % COUNT] as Uint8Array;
    return { publicKey: ed25519PublicKey(secret), message: body, signature: ed25519Sign(body, secret) };
  });
  const workers = availableParallelism();
  const service = startService(workers);
  await service.verifier.checkAccounts(batch.slice(0, 64), 'client');
  const rounds = smoke ? 1 : 15;
  const [alone, spread]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    let start = performance.now();
    for (const { publicKey, message: body, signature } of batch) must(ed25519Verify(publicKey, body, signature));
    alone.push(performance.now() - start);
    start = performance.now();
    must((await service.verifier.checkAccounts(batch, 'client')).every(Boolean));
    spread.push(performance.now() - start);
  }
  await service.stop();
  const [aloneMs, spreadMs] = [quantile(alone, 0.5), quantile(spread, 0.5)];
  const perSignatureUs = (1000 * aloneMs) / batch.length;
  printTable(
    `${batch.length} Ed25519 signatures, ms`,
    ['', 'one thread', `service, ${workers} threads`, 'ratio', 'us each on one'],
    [['', aloneMs, spreadMs, aloneMs / spreadMs, perSignatureUs]],
  );
  return claim('ed25519_ratio', aloneMs / spreadMs, 'ratio', rounds);
}

export async function benchForms(options: BenchOptions): Promise<Claim[]> {
  const { smoke } = options;
  drawSizes(options);
  return [...benchBls(smoke), benchBad(options), ...(await benchThreads(smoke)), await benchEd25519(smoke)];
}

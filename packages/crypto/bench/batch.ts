/**
 * 128 signatures at once against one by one: of one message (a quorum), of one key, all distinct; and Ed25519 over the verifier's threads.
 *
 * One by one is the product's check of a vote. Checks that answer for single signatures are blinded; a quorum's is not, because its sum IS
 * the certificate. The binding's multi-pairing uses all cores, so the CPU ratio is printed too.
 *
 * BOUND of the same key in G1: e(pk, sum of r_i H(m_i)) needs one pairing, and per message a hash to G2 and two multiplications there. The
 * binding has no such hash and no fixed coefficients, so its call without blinding bounds every batch; measured as well.
 */
import { availableParallelism } from 'node:os';
import blst from '@chainsafe/blst';
import type { AccountSignature } from '@slipstream/ports';
import { sha256, uint32le } from '@slipstream/primitives';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../../../scripts/bench/claim.ts';
import { blindedSum, decodeSignatureUnchecked, verifyChecked, verifyInGroup } from '../src/native/binding.ts';
import { createCommitteeKeys } from '../src/native/committee-keys.ts';
import {
  createBlsSigner,
  createWorkerVerifier,
  ed25519PublicKey,
  ed25519Sign,
  ed25519Verify,
  generateBlsSecretKey,
} from '../src/native/index.ts';
import { checkQuorum } from '../src/native/quorum-check.ts';

const COUNT = 128;
const SIGNATURE_BYTES = 192;

const signers = Array.from({ length: COUNT }, (_, index) =>
  createBlsSigner(generateBlsSecretKey(sha256(uint32le(index)))),
);
const keys = createCommitteeKeys(signers.map(({ publicKey }) => publicKey));
const messages = Array.from({ length: COUNT }, (_, index) => sha256(uint32le(1000 + index)));
const message = messages[0] as Uint8Array;
const sameMessage = signers.map(({ sign }) => sign(message));
const sameKey = messages.map((each) => (signers[0] as (typeof signers)[number]).sign(each));
const distinct = signers.map(({ sign }, index) => sign(messages[index] as Uint8Array));

function must(valid: boolean): void {
  if (!valid) throw new Error('a valid batch failed');
}

function decode(bytes: Uint8Array): NonNullable<ReturnType<typeof decodeSignatureUnchecked>> {
  const signature = decodeSignatureUnchecked(bytes, SIGNATURE_BYTES);
  if (signature === undefined) throw new Error('a valid signature was not decoded');
  return signature;
}

function oneByOne(
  signatures: readonly Uint8Array[],
  messageAt: (i: number) => number,
  keyAt: (i: number) => number,
): void {
  for (const [i, bytes] of signatures.entries()) {
    must(verifyChecked(messages[messageAt(i)] as Uint8Array, keys.key(keyAt(i)), decode(bytes)));
  }
}

function multiPairing(signatures: readonly Uint8Array[], keyAt: (i: number) => number): void {
  const sets = signatures.map((bytes, i) => ({
    msg: messages[i] as Uint8Array,
    pk: keys.key(keyAt(i)),
    sig: decode(bytes),
  }));
  must(blst.verifyMultipleAggregateSignatures(sets, false, true));
}

const options = { monotonicMs: () => performance.now(), pause: () => {} };
const first = (): number => 0;
const each = (i: number): number => i;

const BATCHES: Readonly<Record<string, { readonly single: () => void; readonly batch: () => void }>> = {
  same_message: {
    single: () => oneByOne(sameMessage, first, each),
    batch() {
      const votes = sameMessage.map((signature, signer) => ({ signer, signature, verified: false }));
      must(checkQuorum({ message, votes }, keys, options).aggregate !== undefined);
    },
  },
  same_message_blinded: {
    single: () => oneByOne(sameMessage, first, each),
    batch() {
      const sum = blindedSum(sameMessage.map((sig, signer) => ({ pk: keys.key(signer), sig })));
      must(sum !== undefined && verifyInGroup(message, sum.publicKey, sum.signature));
    },
  },
  same_key_unblinded: {
    single: () => oneByOne(sameKey, each, first),
    batch() {
      const sum = blst.aggregateSignatures(sameKey.map(decode));
      const keysOfAll = messages.map(() => keys.key(0));
      must(blst.aggregateVerify(messages, keysOfAll, sum, false, true));
    },
  },
  same_key: { single: () => oneByOne(sameKey, each, first), batch: () => multiPairing(sameKey, first) },
  distinct: { single: () => oneByOne(distinct, each, each), batch: () => multiPairing(distinct, each) },
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
  for (const [name, { single, batch }] of Object.entries(BATCHES)) {
    const costs: { readonly single: Cost; readonly batch: Cost }[] = [];
    for (let round = 0; round < rounds; round++) costs.push({ single: measure(single), batch: measure(batch) });
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

async function benchEd25519(smoke: boolean): Promise<Claim> {
  const batch: AccountSignature[] = Array.from({ length: smoke ? COUNT : 16 * COUNT }, (_, index) => {
    const secret = sha256(uint32le(index));
    const body = messages[index % COUNT] as Uint8Array;
    return { publicKey: ed25519PublicKey(secret), message: body, signature: ed25519Sign(body, secret) };
  });
  const workers = availableParallelism();
  const committeeKeys = signers.slice(0, 4).map(({ publicKey }) => publicKey);
  const onFailure = (error: Error): void => {
    throw error;
  };
  const service = createWorkerVerifier({ workers, committeeKeys, onFailure });
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

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  return [...benchBls(smoke), await benchEd25519(smoke)];
}

/**
 * The cost of verifying votes: eager (on arrival), buffered (one check at quorum), and the quorums of a view in one multi-pairing; with no,
 * one and f invalid signers. Then a bisection's checks against the naive one.
 *
 * A view has three questions (Notarize, Finalize, Certify); every member votes once on each, the own vote first. A found offender's later
 * votes are dropped for free. Eager is until the quorum: a vote whose certificate is known needs no check. The variant that checks every
 * vote is beside it, as `all_votes`.
 */
import blst from '@chainsafe/blst';
import { sha256, uint32le } from '@slipstream/primitives';
import { GENESIS_EPOCH } from '@slipstream/types';
import { type BenchOptions, type Claim, claim, cpuUs, printTable, quantile } from '../../../scripts/bench/claim.ts';
import { createQuorumBuffer } from '../src/index.ts';
import { type BlsPublicKey, decodeSignatureUnchecked, verifyChecked } from '../src/native/binding.ts';
import { type CommitteeKeys, createCommitteeKeys } from '../src/native/committee-keys.ts';
import { createBlsSigner, generateBlsSecretKey } from '../src/native/index.ts';
import { checkQuorum } from '../src/native/quorum-check.ts';
import { type Bisected, naiveBisection } from './naive-bisection.ts';

const QUESTIONS = [0, 1, 2].map((question) => sha256(uint32le(question)));
const WRONG = sha256(uint32le(99));
const SIGNATURE_BYTES = 192;

interface Fixture {
  readonly size: number;
  readonly keys: CommitteeKeys;
  /** By question, then member. */
  readonly good: readonly (readonly Uint8Array[])[];
  readonly bad: readonly Uint8Array[];
}

function createFixture(size: number): Fixture {
  const signers = Array.from({ length: size }, (_, index) =>
    createBlsSigner(generateBlsSecretKey(sha256(uint32le(index)))),
  );
  const keys = createCommitteeKeys(signers.map(({ publicKey }) => publicKey));
  keys.decodeAhead(size);
  return {
    size,
    keys,
    good: QUESTIONS.map((question) => signers.map(({ sign }) => sign(question))),
    bad: signers.map(({ sign }) => sign(WRONG)),
  };
}

const options = { monotonicMs: () => performance.now(), pause: () => {} };

/** Pairing checks of one view. */
function eagerView(fixture: Fixture, invalid: ReadonlySet<number>, untilQuorum: boolean): number {
  const { size, keys, good, bad } = fixture;
  const quorum = Math.floor((2 * size) / 3) + 1;
  const blocked = new Set<number>();
  let verifications = 0;
  for (const [question, message] of QUESTIONS.entries()) {
    let held = 1;
    for (let member = 1; member < size; member++) {
      if (blocked.has(member) || (untilQuorum && held >= quorum)) continue;
      const bytes = (invalid.has(member) ? bad[member] : good[question]?.[member]) as Uint8Array;
      const signature = decodeSignatureUnchecked(bytes, SIGNATURE_BYTES);
      verifications++;
      if (signature !== undefined && verifyChecked(message, keys.key(member) as BlsPublicKey, signature)) held++;
      else blocked.add(member);
    }
    const valid = (good[question] as Uint8Array[]).filter((_, member) => !invalid.has(member));
    blst.aggregateSerializedSignatures(valid.slice(0, quorum), false).toBytes(true);
  }
  return verifications;
}

function bufferedView(fixture: Fixture, invalid: ReadonlySet<number>): number {
  const { size, keys, good, bad } = fixture;
  const weights = Array.from({ length: size }, () => 1);
  const blocked = new Set<number>();
  let checks = 0;
  for (const [question, message] of QUESTIONS.entries()) {
    const buffer = createQuorumBuffer<Uint8Array>({ epoch: GENESIS_EPOCH, weights, signedBytes: () => message });
    const messageKey = String(question);
    for (let member = 0; member < size; member++) {
      if (blocked.has(member)) continue;
      const signature = (invalid.has(member) ? bad[member] : good[question]?.[member]) as Uint8Array;
      buffer.add({ signer: member, messageKey, message, signature, verified: member === 0 });
      const ready = buffer.ready();
      if (ready === undefined) continue;
      const result = checkQuorum(ready.request, keys, options);
      checks += result.checks;
      const outcome = buffer.complete(messageKey, result);
      if (outcome.type === 'offenders') for (const { signer } of outcome.offenders) blocked.add(signer);
    }
  }
  return checks;
}

/** The binding's own call. */
function sharedView({ size, keys, good }: Fixture): number {
  const signers = [...Array(Math.floor((2 * size) / 3) + 1).keys()];
  const sets = QUESTIONS.map((msg, question) => {
    const sig = blst.aggregateSerializedSignatures((good[question] as Uint8Array[]).slice(0, signers.length), false);
    return { msg, pk: keys.sum(signers) as BlsPublicKey, sig };
  });
  if (!blst.verifyMultipleAggregateSignatures(sets, false, true)) throw new Error('the shared check failed');
  return 1;
}

/** Spread evenly, never member 0 (the own one). */
function spread(count: number, size: number): Set<number> {
  return new Set(Array.from({ length: count }, (_, index) => 1 + Math.floor((index * (size - 1)) / count)));
}

interface ViewCost {
  readonly checks: number;
  readonly cpuMs: number;
}

function measureViews(fixture: Fixture, invalid: ReadonlySet<number>, rounds: number): Record<string, ViewCost> {
  const ways: Record<string, () => number> = {
    eager: () => eagerView(fixture, invalid, false),
    'eager until quorum': () => eagerView(fixture, invalid, true),
    buffered: () => bufferedView(fixture, invalid),
  };
  if (invalid.size === 0) ways['buffered, shared'] = () => sharedView(fixture);
  const costs: Record<string, ViewCost> = {};
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, way] of Object.entries(ways)) {
      let checks = 0;
      const us = cpuUs(() => {
        checks = way();
      });
      samples.set(name, [...(samples.get(name) ?? []), us]);
      costs[name] = { checks, cpuMs: quantile(samples.get(name) as number[], 0.5) / 1000 };
    }
  }
  return costs;
}

function benchViews(smoke: boolean): { claims: Claim[]; rows: (string | number)[][] } {
  const claims: Claim[] = [];
  const rows: (string | number)[][] = [];
  for (const size of [4, 10, 50, 100]) {
    const fixture = createFixture(size);
    const faults = Math.floor((size - 1) / 3);
    for (const count of new Set([0, 1, faults])) {
      const rounds = smoke ? 1 : Math.max(5, Math.ceil(100 / size));
      const costs = measureViews(fixture, spread(count, size), rounds);
      const eager = costs.eager as ViewCost;
      for (const [name, { checks, cpuMs }] of Object.entries(costs)) {
        rows.push([`n = ${size}, ${count} invalid`, name, checks, cpuMs, eager.cpuMs / cpuMs]);
      }
      if (count !== 0 || size === 50) continue;
      const buffered = costs.buffered as ViewCost;
      const lazy = costs['eager until quorum'] as ViewCost;
      claims.push(claim(`cpu_ratio_n${size}`, lazy.cpuMs / buffered.cpuMs, 'ratio', rounds));
      claims.push(claim(`cpu_ratio_all_votes_n${size}`, eager.cpuMs / buffered.cpuMs, 'ratio', rounds));
      if (size === 4) continue;
      claims.push(claim(`verifications_saved_n${size}`, 1 - buffered.checks / lazy.checks, 'share', rounds));
      claims.push(claim(`verifications_saved_all_votes_n${size}`, 1 - buffered.checks / eager.checks, 'share', rounds));
    }
  }
  return { claims, rows };
}

/** 67 of 100, with decoding and the own vote. */
function benchOneQuorum(smoke: boolean): Claim {
  const fixture = createFixture(100);
  const rounds = smoke ? 3 : 200;
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // New signers in each round, so that no sum of keys is cached.
    const votes = Array.from({ length: 67 }, (_, index) => {
      const signer = (index + round) % 100;
      return { signer, signature: (fixture.good[0] as Uint8Array[])[signer] as Uint8Array, verified: index === 0 };
    });
    const request = { epoch: GENESIS_EPOCH, message: QUESTIONS[0] as Uint8Array, votes };
    const result = checkQuorum(request, fixture.keys, options);
    if (result.aggregate === undefined || result.checks !== 1) throw new Error('a good quorum failed');
    samples.push(result.tookMs);
  }
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(samples, share)) as [number, number, number];
  printTable(
    'One quorum of 67 of 100: decoding, sums and one check, ms',
    ['', 'p50', 'p95', 'p99'],
    [['', p50, p95, p99]],
  );
  return claim('check_ms_n100', p50, 'ms', rounds);
}

/** Depends on the seed only. */
function membersBySeed(seed: number): number[] {
  const rank = (member: number): string => Buffer.from(sha256(uint32le(1000 * seed + member))).toString('hex');
  return [...Array(100).keys()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function benchBisection(smoke: boolean): Claim[] {
  const fixture = createFixture(100);
  const message = QUESTIONS[0] as Uint8Array;
  const claims: Claim[] = [];
  const rows: (string | number)[][] = [];
  for (const count of [1, 2, 3, 10, 33]) {
    const rounds = smoke ? 1 : count <= 3 ? 40 : 10;
    const total = { ours: 0, naive: 0, oursUs: 0, naiveUs: 0 };
    for (let round = 0; round < rounds; round++) {
      const invalid = new Set(membersBySeed(round).slice(0, count));
      const votes = (fixture.good[0] as Uint8Array[]).map((signature, signer) => {
        return {
          signer,
          signature: (invalid.has(signer) ? fixture.bad[signer] : signature) as Uint8Array,
          verified: false,
        };
      });
      total.oursUs += cpuUs(() => {
        const result = checkQuorum({ epoch: GENESIS_EPOCH, message, votes }, fixture.keys, options);
        if (result.offenders.length !== count) throw new Error('bisection missed offenders');
        total.ours += result.checks;
      });
      total.naiveUs += cpuUs(() => {
        const result: Bisected = naiveBisection(message, votes, fixture.keys);
        if (result.offenders.length !== count) throw new Error('naive bisection missed offenders');
        total.naive += result.checks;
      });
    }
    rows.push([
      `${count} of 100 invalid`,
      total.naive / rounds,
      total.ours / rounds,
      total.naive / total.ours,
      total.naiveUs / rounds / 1000,
      total.oursUs / rounds / 1000,
      total.naiveUs / total.oursUs,
    ]);
    if (count === 1 || count === 33) {
      claims.push(claim(`checks_ratio_${count}_of_100`, total.naive / total.ours, 'ratio', rounds));
      claims.push(claim(`bisection_cpu_ratio_${count}_of_100`, total.naiveUs / total.oursUs, 'ratio', rounds));
    }
  }
  const head = ['bisection of 100 votes', 'naive checks', 'our checks', 'ratio', 'naive CPU ms', 'our CPU ms', 'ratio'];
  printTable('Pairing checks and CPU to find every invalid signature, and to prove every other', head, rows);
  return claims;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const one = benchOneQuorum(smoke);
  const views = benchViews(smoke);
  const head = ['one view: three questions', 'way', 'checks', 'CPU ms', 'eager over this'];
  printTable('Votes of a view: pairing checks and CPU', head, views.rows);
  return [one, ...views.claims, ...benchBisection(smoke)];
}

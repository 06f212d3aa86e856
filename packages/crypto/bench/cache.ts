/**
 * Savings of the verification cache: a hit against its verification, and requests of a certified session (two BLS certificates and an
 * Ed25519 signature) with and without the cache (the DFINITY experiment). All sessions were granted in a few blocks.
 */
import { randomBytes } from 'node:crypto';
import type { Chart } from '@slipstream/app-loadgen';
import type { AccountSignature, CertificateRequest, Verifier } from '@slipstream/ports';
import { sha256, uint32le } from '@slipstream/primitives';
import { GENESIS_EPOCH } from '@slipstream/types';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../../../scripts/bench/claim.ts';
import {
  createCachedVerifier,
  createVerificationCache,
  SIP_KEY_BYTES,
  VERIFICATION_CACHE_DEFAULTS,
} from '../src/index.ts';
import {
  createBlsSigner,
  createInlineVerifier,
  createWorkerVerifier,
  ed25519PublicKey,
  ed25519Sign,
  generateBlsSecretKey,
} from '../src/native/index.ts';
import { benchOfferedLoad } from './offered-load.ts';
import { benchSessions } from './session-transactions.ts';

const COMMITTEE = 4;
const CERTIFICATES = 16;
const USERS = 4096;
const IN_FLIGHT = 32;
/** Times the rate that can be served without the cache. */
const OVERLOAD = 8;
const WAITING_MAX = 256;
const LOOKUPS = 20_000;
/** A prime, so that consecutive lookups share no memory. */
const STEP = 7_919;

interface SessionRequest {
  /** Two; none where only the session signature is measured. */
  readonly certificates: readonly CertificateRequest[];
  readonly account: AccountSignature;
}

const secretKeys = Array.from({ length: COMMITTEE }, (_, index) => generateBlsSecretKey(sha256(uint32le(index))));
const publicKeys = secretKeys.map((secretKey) => createBlsSigner(secretKey).publicKey);
const committees = [{ epoch: GENESIS_EPOCH, publicKeys }];

async function createCertificates(): Promise<CertificateRequest[]> {
  const { verifier } = createInlineVerifier({ committees });
  const signers = secretKeys.map(createBlsSigner);
  return Promise.all(
    Array.from({ length: CERTIFICATES }, async (_, index) => {
      const message = sha256(uint32le(index));
      const votes = signers.map(({ sign }, signer) => ({ signer, signature: sign(message), verified: true }));
      const { aggregate } = await verifier.checkQuorum({ epoch: GENESIS_EPOCH, message, votes });
      return { epoch: GENESIS_EPOCH, message, signers: [...signers.keys()], aggregate: aggregate as Uint8Array };
    }),
  );
}

function createRequests(certificates: readonly CertificateRequest[], users: number): SessionRequest[] {
  return Array.from({ length: users }, (_, user) => {
    const secret = sha256(uint32le(10_000 + user));
    const message = sha256(uint32le(20_000 + user));
    const at = (index: number): CertificateRequest => certificates[index % CERTIFICATES] as CertificateRequest;
    return {
      certificates: [at(0), at(1 + user)],
      account: { publicKey: ed25519PublicKey(secret), message, signature: ed25519Sign(message, secret) },
    };
  });
}

function createCache(entriesMax: number) {
  return createVerificationCache({
    ...VERIFICATION_CACHE_DEFAULTS,
    entriesMax,
    hashKey: new Uint8Array(randomBytes(SIP_KEY_BYTES)),
  });
}

/** Entries that are looked up in turn: as for sessions, as many as fit a processor's nearest cache, and all of the memory. */
const WORKING_SETS = [64, 1_000, 10_000, VERIFICATION_CACHE_DEFAULTS.entriesMax] as const;

/** A full cache of 100,000 against a certificate's verification, turn by turn. */
async function benchHit(certificates: readonly CertificateRequest[], { smoke, draw }: BenchOptions): Promise<Claim[]> {
  const { cache, hitsUs } = createFullCache(certificates[0] as CertificateRequest);
  const { verifier } = createInlineVerifier({ committees });
  const rounds = smoke ? 3 : 60;
  const verifications: number[] = [];
  const hits: number[][] = WORKING_SETS.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const certificate = certificates[round % CERTIFICATES] as CertificateRequest;
    const start = performance.now();
    for (let i = 0; i < 8; i++)
      if (!(await verifier.checkCertificate(certificate, 'client'))) throw new Error('not valid');
    verifications.push((1000 * (performance.now() - start)) / 8);
    for (const [at, workingSet] of WORKING_SETS.entries()) hits[at]?.push(hitsUs(workingSet));
  }
  const verify = quantile(verifications, 0.5);
  const medians = hits.map((samples) => quantile(samples, 0.5));
  const [inUse, spread] = [medians[0], medians.at(-1)] as [number, number];
  printTable(
    `A hit among 100,000 entries against the verification that it saves (${verify.toFixed(0)} us)`,
    ['entries in use', 'hit, us', 'ratio'],
    WORKING_SETS.map((workingSet, at) => [workingSet, medians[at] as number, verify / (medians[at] as number)]),
  );
  draw(chartOfHits(verify, hits));
  const samples = rounds * LOOKUPS;
  return [
    claim('hit_ratio', verify / inUse, 'ratio', samples),
    claim('hit_spread_ratio', verify / spread, 'ratio', samples),
    claim('hit_us', inUse, 'us', samples),
    claim('hit_spread_us', spread, 'us', samples),
    claim('bytes_per_entry', cache.stats().bytes / VERIFICATION_CACHE_DEFAULTS.entriesMax, 'bytes', 1),
  ];
}

function createFullCache({ aggregate }: CertificateRequest) {
  const { entriesMax } = VERIFICATION_CACHE_DEFAULTS;
  const cache = createCache(entriesMax);
  const message = new Uint8Array(32);
  const view = new DataView(message.buffer);
  const entry = { scheme: 2, domain: 0, publicKey: new Uint8Array([0x0f]), message, signature: aggregate };
  for (let name = 0; name < entriesMax; name++) {
    view.setUint32(0, name, true);
    cache.add(entry);
  }
  function hitsUs(workingSet: number): number {
    const start = performance.now();
    for (let i = 0; i < LOOKUPS; i++) {
      view.setUint32(0, (i * STEP) % workingSet, true);
      if (!cache.has(entry)) throw new Error('not a hit');
    }
    return (1000 * (performance.now() - start)) / LOOKUPS;
  }
  return { cache, hitsUs };
}

function chartOfHits(verifyUs: number, hits: readonly (readonly number[])[]): Chart {
  const at = (share: number): number[] => hits.map((samples) => quantile(samples, share));
  return {
    title: 'A hit by the number of entries in use, of 100,000',
    about: `Median, and p25 to p75 of rounds. The verification that a hit saves took ${verifyUs.toFixed(0)} us. DFINITY: 0.5 us against 2 ms.`,
    unit: 'us',
    x: { name: 'entries in use', unit: '', values: WORKING_SETS, isLogarithmic: true },
    lines: [
      { name: 'hit', values: at(0.5), low: at(0.25), high: at(0.75) },
      { name: '1/4,000 of the verification', values: WORKING_SETS.map(() => verifyUs / 4000) },
      { name: 'DFINITY', values: WORKING_SETS.map(() => 0.5) },
    ],
    kind: 'lines',
  };
}

/** Upper ends of the bins, us. */
const BINS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000] as const;

/** Percent of the verifications in each bin. */
function histogramOf(timesMs: readonly number[]): number[] {
  const counts = BINS.map(() => 0);
  for (const ms of timesMs) {
    const bin = BINS.findIndex((end) => 1000 * ms <= end);
    const at = bin === -1 ? BINS.length - 1 : bin;
    counts[at] = (counts[at] as number) + 1;
  }
  return counts.map((count) => (100 * count) / timesMs.length);
}

function chartOfTimes(off: readonly number[], on: readonly number[]): Chart {
  return {
    title: 'Time of a verification, cache off and on',
    about:
      'Certificates of session requests, one request at a time, from the question to the answer of the verifier. ' +
      'DFINITY saw some 10 ms without the cache and 0.1 ms with it.',
    unit: '% of the verifications',
    x: { name: 'at most', unit: 'us', values: BINS, isLogarithmic: true },
    lines: [
      { name: 'cache off', values: histogramOf(off) },
      { name: 'cache on', values: histogramOf(on) },
    ],
    kind: 'bars',
  };
}

interface Served {
  readonly rate: number;
  /** Of a request. */
  readonly certificateMs: readonly number[];
}

/** Undefined without certificates. */
async function serveOne(verifier: Verifier, { certificates, account }: SessionRequest): Promise<number | undefined> {
  const before = performance.now();
  for (const certificate of certificates) {
    if (!(await verifier.checkCertificate(certificate, 'client'))) throw new Error('a certificate failed');
  }
  const ms = certificates.length > 0 ? (performance.now() - before) / certificates.length : undefined;
  const [valid] = await verifier.checkAccounts([account], 'client');
  if (!valid) throw new Error('a request failed');
  return ms;
}

async function serve(verifier: Verifier, requests: readonly SessionRequest[], inFlight: number): Promise<Served> {
  const certificateMs: number[] = [];
  const waiting = requests.values();
  async function serveNext(): Promise<void> {
    for (const request of waiting) {
      const ms = await serveOne(verifier, request);
      if (ms !== undefined) certificateMs.push(ms);
    }
  }
  const start = performance.now();
  await Promise.all(Array.from({ length: inFlight }, serveNext));
  return { rate: (1000 * requests.length) / (performance.now() - start), certificateMs };
}

async function benchRequests(requests: readonly SessionRequest[], { smoke, draw }: BenchOptions): Promise<Claim[]> {
  const onFailure = (error: Error): void => {
    throw error;
  };
  const service = createWorkerVerifier({ workers: 1, committees, onFailure });
  const rounds = smoke ? 1 : 5;
  const some = requests.slice(0, smoke ? 16 : 200);
  const alone = requests.map(({ account }) => ({ account, certificates: [] }));
  const runs = {
    plain: [] as Served[],
    cached: [] as Served[],
    alone: [] as Served[],
    oneByOne: [] as Served[],
    hits: [] as Served[],
  };
  await serve(service.verifier, some.slice(0, 8), 1);
  for (let round = 0; round < rounds; round++) {
    // A new cache each round: the first users of a block pay for the rest.
    const cached = createCachedVerifier(service.verifier, createCache(10_000));
    runs.plain.push(await serve(service.verifier, some, IN_FLIGHT));
    runs.cached.push(await serve(cached, requests, IN_FLIGHT));
    runs.alone.push(await serve(service.verifier, alone, IN_FLIGHT));
    const cachedAnew = createCachedVerifier(service.verifier, createCache(10_000));
    runs.oneByOne.push(await serve(service.verifier, some, 1));
    runs.hits.push(await serve(cachedAnew, requests, 1));
  }
  const rate = (served: readonly Served[]): number =>
    quantile(
      served.map((each) => each.rate),
      0.5,
    );
  const cachedForLoad = createCachedVerifier(service.verifier, createCache(10_000));
  const offered = await benchOfferedLoad(
    { requests, rate: OVERLOAD * rate(runs.plain), waitingMax: WAITING_MAX },
    {
      plain: async (request) => void (await serveOne(service.verifier, request)),
      cached: async (request) => void (await serveOne(cachedForLoad, request)),
    },
  );
  await service.stop();
  const times = (served: readonly Served[]): number[] => served.flatMap((each) => each.certificateMs);
  const mean = (served: readonly Served[]): number =>
    times(served).reduce((sum, ms) => sum + ms, 0) / times(served).length;
  const timesRow = (name: string, served: readonly Served[]): (string | number)[] => {
    return [name, mean(served), ...[0.5, 0.95, 0.99].map((share) => quantile(times(served), share))];
  };
  printTable(
    `Requests behind two certificates and a session signature, ${IN_FLIGHT} in flight`,
    ['', 'requests/s'],
    [
      ['no cache', rate(runs.plain)],
      ['cache', rate(runs.cached)],
      ['session signature alone', rate(runs.alone)],
    ],
  );
  printTable(
    'One certificate of a request, one request at a time, ms',
    ['', 'mean', 'p50', 'p95', 'p99'],
    [timesRow('no cache', runs.oneByOne), timesRow('cache', runs.hits)],
  );
  draw(chartOfTimes(times(runs.oneByOne), times(runs.hits)));
  const samples = rounds * requests.length;
  const median = (served: readonly Served[]): number => quantile(times(served), 0.5);
  return [
    claim('verify_time_ratio', median(runs.oneByOne) / median(runs.hits), 'ratio', samples),
    claim('verify_time_mean_ratio', mean(runs.oneByOne) / mean(runs.hits), 'ratio', samples),
    claim('requests_ratio', rate(runs.cached) / rate(runs.plain), 'ratio', samples),
    claim('requests_of_plain_ed25519', rate(runs.cached) / rate(runs.alone), 'share', samples),
    ...offered,
  ];
}

export async function run(options: BenchOptions): Promise<Claim[]> {
  const certificates = await createCertificates();
  const hits = await benchHit(certificates, options);
  const requests = await benchRequests(createRequests(certificates, options.smoke ? 64 : USERS), options);
  return [...hits, ...requests, ...(await benchSessions(options.smoke))];
}

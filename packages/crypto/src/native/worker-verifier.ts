/**
 * Verifier and Signer on worker threads.
 *
 *   caller --flat bytes--> thread with the least work of this lane or a more urgent one --> reply --> promise
 *
 * - Only the first thread holds secret keys, and signs.
 * - Committees are known to all threads, and change in order with requests.
 * - Account signatures of one call are spread over the threads, and so are the jobs of a batch.
 * - Each lane is bounded; above throws CryptoError `queue-full`. A flood from clients fills only the clients' lane.
 * - When a thread dies, all requests fail permanently, so the node stops cleanly.
 *
 * Calls are synchronous: the binding's asynchronous ones would share libuv's pool with the disk.
 */
import { Worker } from 'node:worker_threads';
import type {
  AccountSignature,
  DistilledClaim,
  EpochKeys,
  Priority,
  QuorumResult,
  ShareRequest,
  ShareSum,
  Signer,
  Statement,
  Verifier,
} from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { BLS_UNCOMPRESSED_KEY_BYTES } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { splitBatch } from './batch-split.ts';
import { createBlsSigner, invalidSecretKey } from './bls-signer.ts';
import { type Committees, checkedCommittees, withCommittee, withoutCommittee } from './committees.ts';
import { type CommitteeChange, encodeJob, JOB_LANES, type Job, type JobLane } from './job-wire.ts';
import { decodeReply, type Reply } from './reply-wire.ts';
import {
  checkAccountsRequest,
  checkBatchRequest,
  checkDistilledRequest,
  checkQuorumRequest,
  checkSharesRequest,
  checkSignRequest,
} from './requests.ts';
import { createVerifierCounters, NO_KEY, signed, type VerifierService } from './verifier-service.ts';
import type { VerifierWorkerData } from './verifier-worker.ts';

const WORKERS_MAX = 64;

/** Waiting and running, of one lane. A committee of 1,024 sends a few thousand at a time. */
const LANE_REQUESTS_MAX = 4096;
const LANE_BYTES_MAX = 64 * 1024 * 1024;

/** Below this another thread's wake-up costs more than it saves. */
const ACCOUNTS_PER_PART_MIN = 8;

/** Estimated us, for spreading the load. */
const COST_US = { signature: 400, pairing: 950, vote: 4, account: 75, key: 1 } as const;

interface WorkerVerifierOptions {
  /** 1 to WORKERS_MAX. */
  readonly workers: number;
  readonly committees: readonly EpochKeys[];
  /** Of `signer`. */
  readonly secretKey?: Uint8Array;
  /** Called once; all requests reject from then on. */
  readonly onFailure: (error: CryptoError) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Estimated us of unanswered jobs, by lane. */
  readonly loadUs: number[];
}

interface Pending {
  readonly thread: Thread;
  readonly lane: number;
  readonly bytes: number;
  readonly costUs: number;
  resolve(reply: Reply): void;
  reject(error: CryptoError): void;
}

/** Throws CryptoError `invalid-request`, `invalid-committee`, `invalid-public-key` or `invalid-secret-key`. */
export function createWorkerVerifier(options: WorkerVerifierOptions): VerifierService {
  const { workers, secretKey } = options;
  if (!Number.isInteger(workers) || workers < 1 || workers > WORKERS_MAX) {
    throw new CryptoError('invalid-request', `a verifier has 1 to ${WORKERS_MAX} threads, not ${workers}`);
  }
  let committees = checkedCommittees(options.committees);
  const ownKey = secretKey === undefined ? NO_KEY : createBlsSigner(secretKey).publicKey;
  const pool = createThreadPool(options, committees);
  const counters = createVerifierCounters();

  async function checkAccounts(batch: readonly AccountSignature[], priority: Priority): Promise<readonly boolean[]> {
    checkAccountsRequest(batch);
    const parts = Math.min(workers, Math.max(1, Math.floor(batch.length / ACCOUNTS_PER_PART_MIN)));
    const partLength = Math.ceil(batch.length / parts);
    const answers = await Promise.all(
      Array.from({ length: parts }, (_, part) => {
        const slice = batch.slice(part * partLength, (part + 1) * partLength);
        return pool.run(priority, { kind: 'accounts', batch: slice }, COST_US.account * slice.length);
      }),
    );
    return counters.accounts(answers.flatMap((reply) => ofKind(reply, 'accounts').answers));
  }

  async function checkBatch(batch: readonly Statement[], priority: Priority): Promise<readonly boolean[]> {
    checkBatchRequest(batch, committees);
    const valid = batch.map(() => false);
    await Promise.all(
      splitBatch(batch).map(async ({ places, costUs }) => {
        const statements = places.map((place) => batch[place] as Statement);
        const reply = await pool.run(priority, { kind: 'batch', batch: statements }, costUs);
        const answers = counters.batch(ofKind(reply, 'batch').answers);
        for (const [at, place] of places.entries()) valid[place] = answers[at] === true;
      }),
    );
    return valid;
  }

  async function checkOne(statement: Statement, priority: Priority): Promise<boolean> {
    const [isValid] = await checkBatch([statement], priority);
    return isValid === true;
  }

  async function checkDistilled(claims: readonly DistilledClaim[], priority: Priority): Promise<readonly boolean[]> {
    checkDistilledRequest(claims);
    const keyBytes = claims.reduce((sum, { keys }) => sum + keys.length, 0);
    const costUs = COST_US.pairing * claims.length + (COST_US.key * keyBytes) / BLS_UNCOMPRESSED_KEY_BYTES;
    return counters.batch(ofKind(await pool.run(priority, { kind: 'distilled', claims }, costUs), 'distilled').answers);
  }

  async function sumShares(request: ShareRequest, priority: Priority): Promise<ShareSum> {
    checkSharesRequest(request);
    const keyBytes = request.shares.reduce((sum, { keys }) => sum + keys.length, 0);
    const keysUs = (COST_US.key * keyBytes) / BLS_UNCOMPRESSED_KEY_BYTES;
    const costUs = COST_US.pairing + COST_US.vote * request.shares.length + keysUs;
    return counters.shares(ofKind(await pool.run(priority, { kind: 'shares', request }, costUs), 'shares').answers);
  }

  const verifier: Verifier = {
    async checkQuorum(request): Promise<QuorumResult> {
      checkQuorumRequest(request, committees);
      const costUs = COST_US.pairing + COST_US.vote * request.votes.length;
      return counters.quorum(ofKind(await pool.run('consensus', { kind: 'quorum', request }, costUs), 'quorum').result);
    },
    checkVote: (request, priority) => checkOne({ kind: 'vote', ...request }, priority),
    checkCertificate: (request, priority) => checkOne({ kind: 'certificate', ...request }, priority),
    checkAggregate: (request, priority) => checkOne({ kind: 'aggregate', ...request }, priority),
    checkBatch,
    checkAccounts,
  };

  const signerOf = (publicKey: Uint8Array): Signer => ({
    publicKey,
    async sign(messages) {
      checkSignRequest(messages);
      const reply = await pool.run('sign', { kind: 'sign', publicKey, messages }, COST_US.signature * messages.length);
      return counters.signed(signed(ofKind(reply, 'sign').signatures));
    },
  });

  return {
    verifier,
    distilled: { checkDistilled },
    shares: { sumShares },
    signer: signerOf(ownKey),
    addCommittee(epoch, publicKeys) {
      const more = withCommittee(committees, epoch, publicKeys);
      if (more !== committees) pool.change({ epoch, publicKeys: more.get(epoch)?.publicKeys });
      committees = more;
    },
    dropCommittee(epoch) {
      committees = withoutCommittee(committees, epoch);
      pool.change({ epoch, publicKeys: undefined });
    },
    async addKey(secretKey) {
      const added = pool.run('sign', { kind: 'add-key', secretKey }, COST_US.signature);
      secretKey.fill(0);
      const { publicKey } = ofKind(await added, 'add-key');
      if (publicKey === undefined) throw invalidSecretKey();
      return signerOf(publicKey);
    },
    async removeKey(publicKey) {
      await pool.run('sign', { kind: 'remove-key', publicKey }, COST_US.signature);
    },
    stats: () => counters.read(pool.queuedRequests(), pool.queuedBytes()),
    stop: pool.stop,
  };
}

interface ThreadPool {
  run(lane: JobLane, job: Job, costUs: number): Promise<Reply>;
  /** On every thread, after the jobs that came before. */
  change(change: CommitteeChange): void;
  queuedRequests(): number;
  queuedBytes(): number;
  stop(): Promise<void>;
}

function createThreadPool({ workers, secretKey, onFailure }: WorkerVerifierOptions, initial: Committees): ThreadPool {
  const committees = [...initial].map(([epoch, { publicKeys }]) => ({ epoch, publicKeys }));
  const pending = new Map<number, Pending>();
  const requests = JOB_LANES.map(() => 0);
  const bytes = JOB_LANES.map(() => 0);
  let lastId = 0;
  let ended: CryptoError | undefined;

  const threads: Thread[] = Array.from({ length: workers }, (_, index) => {
    const data: VerifierWorkerData = { committees, secretKey: index === 0 ? secretKey : undefined };
    const worker = new Worker(new URL('./verifier-worker.ts', import.meta.url), {
      workerData: data,
      name: `verifier-${index}`,
    });
    worker.on('message', finish);
    worker.on('error', (cause) => fail(`verifier thread ${index} failed: ${String(cause)}`, cause));
    worker.on('exit', (code) => fail(`verifier thread ${index} ended with code ${code}`));
    return { worker, loadUs: JOB_LANES.map(() => 0) };
  });

  function run(laneName: JobLane, job: Job, costUs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (ended !== undefined) throw ended;
      const lane = JOB_LANES.indexOf(laneName);
      lastId = (lastId + 1) % 2 ** 32;
      const encoded = encodeJob({ id: lastId, lane: laneName }, job);
      const size = encoded.length;
      if ((requests[lane] as number) >= LANE_REQUESTS_MAX || (bytes[lane] as number) + size > LANE_BYTES_MAX) {
        encoded.fill(0); // it may hold a secret key
        throw new CryptoError('queue-full', `the verifier's ${laneName} lane is full: offer less or later`, {
          lane: laneName,
        });
      }
      const thread = laneName === 'sign' ? (threads[0] as Thread) : leastLoaded(lane);
      pending.set(lastId, { thread, lane, bytes: size, costUs, resolve, reject });
      account(thread, lane, 1, size, costUs);
      thread.worker.postMessage(encoded, [encoded.buffer]);
    });
  }

  function change(to: CommitteeChange): void {
    if (ended !== undefined) return;
    for (const { worker } of threads) worker.postMessage(to);
  }

  /** By the work ahead of the job, then by total load. */
  function leastLoaded(lane: number): Thread {
    const ahead = ({ loadUs }: Thread): number => sum(loadUs.slice(0, lane + 1));
    return threads.reduce((best, thread) => {
      const difference = ahead(thread) - ahead(best);
      return difference < 0 || (difference === 0 && sum(thread.loadUs) < sum(best.loadUs)) ? thread : best;
    });
  }

  function account(thread: Thread, lane: number, count: 1 | -1, size: number, costUs: number): void {
    requests[lane] = (requests[lane] as number) + count;
    bytes[lane] = (bytes[lane] as number) + count * size;
    thread.loadUs[lane] = (thread.loadUs[lane] as number) + count * costUs;
  }

  function finish(encoded: Uint8Array): void {
    const { id, reply } = decodeReply(encoded);
    const job = pending.get(id);
    if (job === undefined) return;
    pending.delete(id);
    account(job.thread, job.lane, -1, job.bytes, job.costUs);
    job.resolve(reply);
  }

  function fail(what: string, cause?: unknown): void {
    if (ended !== undefined) return;
    const error = new CryptoError(
      'worker-failed',
      `${what}; nothing can be verified, so the node must stop`,
      {},
      cause,
    );
    end(error);
    for (const { worker } of threads) void worker.terminate();
    onFailure(error);
  }

  function end(error: CryptoError): void {
    ended = error;
    const jobs = [...pending.values()];
    pending.clear();
    for (const job of jobs) {
      account(job.thread, job.lane, -1, job.bytes, job.costUs);
      job.reject(error);
    }
  }

  async function stop(): Promise<void> {
    if (ended === undefined) end(new CryptoError('stopped', 'the verifier is stopped'));
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  return { run, change, queuedRequests: () => sum(requests), queuedBytes: () => sum(bytes), stop };
}

function ofKind<Kind extends Reply['kind']>(reply: Reply, kind: Kind): Extract<Reply, { kind: Kind }> {
  assert(reply.kind === kind, 'a reply is of its job’s kind');
  return reply as Extract<Reply, { kind: Kind }>;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

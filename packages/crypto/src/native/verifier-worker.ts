/**
 * A verifier's thread: serves the most urgent job first.
 *
 * Committees change on arrival, so each job is judged by those known when it was asked for. Keys of a new committee are decoded between jobs,
 * or when a job needs them.
 *
 * Long jobs pause for more urgent ones: a batch of account signatures every half millisecond, a bisection before each pairing check. So own
 * signing waits for at most one pairing check, and a hostile quorum delays no honest one.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { EpochKeys } from '@slipstream/ports';
import { assert, unreachable } from '@slipstream/primitives';
import { CryptoError } from '../errors.ts';
import { type Committees, committeesOf, withCommittee, withoutCommittee } from './committees.ts';
import { checkDistilledClaims } from './distilled-check.ts';
import { type CommitteeChange, decodeJob, JOB_LANES, type Job, readEnvelope } from './job-wire.ts';
import { encodeReply, type Reply } from './reply-wire.ts';
import { createSecretKeys, type SecretKeys } from './secret-keys.ts';
import { sumShares } from './share-sum.ts';
import { createVerifierCore, type VerifierCore } from './verifier-core.ts';

export interface VerifierWorkerData {
  readonly committees: readonly EpochKeys[];
  /** A copy, which the thread erases. */
  readonly secretKey: Uint8Array | undefined;
}

interface Parts {
  readonly core: VerifierCore;
  readonly secrets: SecretKeys;
  readonly committees: Committees;
}

/** Of interrupting jobs: a bisection admits other consensus jobs, which may bisect too. */
const NESTED_JOBS_MAX = 4;
const SIGN_LANES = 1;
const CONSENSUS_LANES = 2;
/** Half a millisecond. */
const KEYS_AHEAD = 8;

interface WaitingJob {
  readonly id: number;
  readonly encoded: Uint8Array;
  readonly committees: Committees;
}

interface Taken {
  readonly job: WaitingJob;
  readonly lane: number;
}

type Message = Uint8Array | CommitteeChange;

type Port = NonNullable<typeof parentPort>;

interface Inbox {
  sort(message: Message): void;
  /** Of the first `lanesServed` lanes, after all that has arrived. */
  takeMostUrgent(lanesServed: number): Taken | undefined;
}

function createInbox(port: Port, initial: Committees): Inbox {
  const lanes: WaitingJob[][] = JOB_LANES.map(() => []);
  let committees = initial;

  function sort(message: Message): void {
    if (!(message instanceof Uint8Array)) return change(message);
    const { id, lane } = readEnvelope(message);
    lanes[JOB_LANES.indexOf(lane)]?.push({ id, encoded: message, committees });
  }

  function change({ epoch, publicKeys }: CommitteeChange): void {
    if (publicKeys === undefined) {
      committees = withoutCommittee(committees, epoch);
      return;
    }
    committees = withCommittee(committees, epoch, publicKeys);
    setImmediate(decodeAhead, epoch);
  }

  /** Each turn lets messages in. */
  function decodeAhead(epoch: number): void {
    if (committees.get(epoch)?.decodeAhead(KEYS_AHEAD)) setImmediate(decodeAhead, epoch);
  }

  function takeArrived(): void {
    for (let arrived = receiveMessageOnPort(port); arrived !== undefined; arrived = receiveMessageOnPort(port)) {
      sort(arrived.message as Message);
    }
  }

  function takeMostUrgent(lanesServed: number): Taken | undefined {
    takeArrived();
    for (let lane = 0; lane < lanesServed; lane++) {
      const job = lanes[lane]?.shift();
      if (job !== undefined) return { job, lane };
    }
    return undefined;
  }

  return { sort, takeMostUrgent };
}

function serve(port: Port, { core, secrets, committees }: Parts): void {
  const { sort, takeMostUrgent } = createInbox(port, committees);
  let nested = 0;

  /** Until the first `lanesServed` lanes are empty. */
  function serveLanes(lanesServed: number): void {
    for (let next = takeMostUrgent(lanesServed); next !== undefined; next = takeMostUrgent(lanesServed)) {
      nested++;
      const encoded = encodeReply(next.job.id, run(decodeJob(next.job.encoded), next));
      nested--;
      port.postMessage(encoded, [encoded.buffer]);
    }
  }

  function run(job: Job, { lane, job: { committees: asked } }: Taken): Reply {
    const yieldToMoreUrgent = (): void => serveLanes(lane);
    const yieldBisection = (): void => serveLanes(nested < NESTED_JOBS_MAX ? CONSENSUS_LANES : SIGN_LANES);
    switch (job.kind) {
      case 'sign':
        return { kind: 'sign', signatures: secrets.sign(job.publicKey, job.messages) };
      case 'add-key':
        return { kind: 'add-key', publicKey: addKey(secrets, job.secretKey) };
      case 'remove-key':
        secrets.remove(job.publicKey);
        return { kind: 'remove-key' };
      case 'quorum':
        return { kind: 'quorum', result: core.checkQuorum(job.request, asked, yieldBisection) };
      case 'batch': {
        const pause = lane < CONSENSUS_LANES ? yieldBisection : yieldToMoreUrgent;
        return { kind: 'batch', answers: core.checkBatch(job.batch, asked, pause) };
      }
      case 'distilled':
        return { kind: 'distilled', answers: checkDistilledClaims(job.claims, yieldToMoreUrgent) };
      case 'shares':
        return { kind: 'shares', answers: sumShares(job.request, yieldToMoreUrgent) };
      case 'accounts':
        return { kind: 'accounts', answers: core.checkAccounts(job.batch, yieldToMoreUrgent) };
      default:
        return unreachable(job, 'job');
    }
  }

  port.on('message', (message: Message) => {
    sort(message);
    serveLanes(JOB_LANES.length);
  });
}

/** Undefined: invalid. */
function addKey(secrets: SecretKeys, secretKey: Uint8Array): Uint8Array | undefined {
  try {
    return secrets.add(secretKey);
  } catch (error) {
    if (error instanceof CryptoError && error.code === 'invalid-secret-key') return undefined;
    throw error;
  }
}

function start({ committees: initial, secretKey }: VerifierWorkerData): Parts {
  const committees = committeesOf(initial);
  for (const keys of committees.values()) keys.decodeAhead(keys.size);
  const secrets = createSecretKeys();
  if (secretKey !== undefined) secrets.add(secretKey);
  return { core: createVerifierCore({ monotonicMs: () => performance.now() }), secrets, committees };
}

assert(parentPort !== null, 'this module is the main module of a worker thread');
serve(parentPort, start(workerData as VerifierWorkerData));

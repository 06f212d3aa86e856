/**
 * A verifier's thread: serves the most urgent job first.
 *
 * Long jobs pause for more urgent ones: a batch of account signatures every half millisecond, a bisection before each pairing check. So own
 * signing waits for at most one pairing check, and a hostile quorum delays no honest one.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { assert, unreachable } from '@slipstream/primitives';
import { decodeJob, encodeReply, JOB_LANES, type Job, type Reply, readEnvelope } from './job-wire.ts';
import { createVerifierCore, type VerifierCore } from './verifier-core.ts';

export interface VerifierWorkerData {
  readonly committeeKeys: readonly Uint8Array[];
  readonly secretKey: Uint8Array | undefined;
}

/** Of interrupting jobs: a bisection admits other consensus jobs, which may bisect too. */
const NESTED_JOBS_MAX = 4;
const SIGN_LANES = 1;
const CONSENSUS_LANES = 2;

interface WaitingJob {
  readonly id: number;
  readonly encoded: Uint8Array;
}

function serve(port: NonNullable<typeof parentPort>, core: VerifierCore): void {
  const lanes: WaitingJob[][] = JOB_LANES.map(() => []);
  let nested = 0;

  function sort(encoded: Uint8Array): void {
    const { id, lane } = readEnvelope(encoded);
    lanes[JOB_LANES.indexOf(lane)]?.push({ id, encoded });
  }

  function takeArrived(): void {
    for (let arrived = receiveMessageOnPort(port); arrived !== undefined; arrived = receiveMessageOnPort(port)) {
      sort(arrived.message as Uint8Array);
    }
  }

  function takeMostUrgent(lanesServed: number): { readonly job: WaitingJob; readonly lane: number } | undefined {
    takeArrived();
    for (let lane = 0; lane < lanesServed; lane++) {
      const job = lanes[lane]?.shift();
      if (job !== undefined) return { job, lane };
    }
    return undefined;
  }

  /** Until the first `lanesServed` lanes are empty. */
  function serveLanes(lanesServed: number): void {
    for (let next = takeMostUrgent(lanesServed); next !== undefined; next = takeMostUrgent(lanesServed)) {
      nested++;
      const encoded = encodeReply(next.job.id, run(decodeJob(next.job.encoded), next.lane));
      nested--;
      port.postMessage(encoded, [encoded.buffer]);
    }
  }

  function run(job: Job, lane: number): Reply {
    const yieldToMoreUrgent = (): void => serveLanes(lane);
    const yieldBisection = (): void => serveLanes(nested < NESTED_JOBS_MAX ? CONSENSUS_LANES : SIGN_LANES);
    switch (job.kind) {
      case 'sign':
        return { kind: 'sign', signatures: core.sign(job.messages) };
      case 'quorum':
        return { kind: 'quorum', result: core.checkQuorum(job.request, yieldBisection) };
      case 'batch': {
        const pause = lane < CONSENSUS_LANES ? yieldBisection : yieldToMoreUrgent;
        return { kind: 'batch', answers: core.checkBatch(job.batch, pause) };
      }
      case 'accounts':
        return { kind: 'accounts', answers: core.checkAccounts(job.batch, yieldToMoreUrgent) };
      default:
        return unreachable(job, 'job');
    }
  }

  port.on('message', (encoded: Uint8Array) => {
    sort(encoded);
    serveLanes(lanes.length);
  });
}

assert(parentPort !== null, 'this module is the main module of a worker thread');
const { committeeKeys, secretKey } = workerData as VerifierWorkerData;
serve(parentPort, createVerifierCore({ committeeKeys, secretKey, monotonicMs: () => performance.now() }));

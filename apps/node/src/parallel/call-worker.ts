/** A thread that runs calls of parallel actions, in realms of its own. */
import { parentPort, workerData } from 'node:worker_threads';
import { assertStack } from '@slipstream/app-realm';
import { createHandedCalls } from '@slipstream/execution';
import { loadApplications } from '@slipstream/node-home/applications';
import type { CallMessage, CallWorkerData } from './call-pool.ts';
import { workOn } from './shared-job.ts';

const { artifacts, finished } = workerData as CallWorkerData;
const done = new Int32Array(finished);

assertStack();
const installed = [...loadApplications(artifacts).installed];
let run = createHandedCalls(installed);
parentPort?.on('message', (message: CallMessage) => {
  if ('artifact' in message) {
    installed.push(...loadApplications([message.artifact]).installed);
    run = createHandedCalls(installed);
    return;
  }
  const { memory, block } = message;
  workOn(memory, (call) => {
    try {
      return run(block, call);
    } catch {
      // A defect of this node: the executor meets it where it runs the call, and reports it.
      return undefined;
    }
  });
  Atomics.add(done, 0, 1);
});
Atomics.store(done, 0, 0);

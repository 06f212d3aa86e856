/** Signing thread: answers each job with a batch whose buffers are transferred, not copied. */
import { parentPort, workerData } from 'node:worker_threads';
import { createSigning, type SigningJob, type SigningTask } from './sign-transfers.ts';

const sign = createSigning(workerData as SigningTask);

parentPort?.on('message', ({ number, job }: { readonly number: number; readonly job: SigningJob }) => {
  const batch = sign(job);
  parentPort?.postMessage({ number, batch }, [
    batch.bytes.buffer,
    batch.ends.buffer,
    batch.ids.buffer,
    batch.expiriesMs.buffer,
  ]);
});

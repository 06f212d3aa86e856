/** A signing thread: takes jobs one by one, answers each with a batch whose memory is handed over. */
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

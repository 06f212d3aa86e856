/** One of several threads that verify at the same time. Its data: how many signatures. Posts its processor time for each, us. */
import { parentPort, workerData } from 'node:worker_threads';
import { verificationUs } from './verification.ts';

parentPort?.postMessage(verificationUs(workerData as number));

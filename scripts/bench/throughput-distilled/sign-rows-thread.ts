/** Signs a part of a run's rows into shared memory. */
import { workerData } from 'node:worker_threads';
import { type SigningPart, signPart } from './sign-rows.ts';

signPart(workerData as SigningPart);

/** One simulation uses one core. */
import { parentPort } from 'node:worker_threads';
import { play, type RunName } from './runs.ts';

parentPort?.on('message', (run: RunName) => {
  void play(run).then((result) => parentPort?.postMessage(result));
});

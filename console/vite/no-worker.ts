/**
 * In place of packages/client/src/light/start-worker.ts: the console's light client is in a worker already, and verifies there. Otherwise the build would
 * ship a second worker with the same cryptography.
 */
export const startWorker = (): undefined => undefined;

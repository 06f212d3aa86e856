export * from './client.ts';
export * from './errors.ts';
export * from './event-stream.ts';
export * from './keys.ts';
export type { Fetch, Requester } from './request.ts';
export * from './submission-stream.ts';
export type { WaitOptions } from './submit-and-wait.ts';
export * from './transactions.ts';
export * from './verify-proof.ts';

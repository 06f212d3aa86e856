/** Verifies proofs in a worker: a pairing takes tens of milliseconds, which would block drawing. */
import { answerTo } from './answer.ts';
import type { VerifyRequest } from './verify-message.ts';

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  postMessage(answerTo(data));
});

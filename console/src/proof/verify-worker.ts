/** Verifies proofs beside the page: a pairing takes tens of milliseconds, in which nothing else would be drawn. */
import { answerTo } from './answer.ts';
import type { VerifyRequest } from './verify-message.ts';

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  postMessage(answerTo(data));
});

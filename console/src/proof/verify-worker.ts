/** Verifies proofs, certificates and evidence in a worker: a pairing takes tens of milliseconds, which would block drawing. */
import { answerTo } from './answer.ts';
import { createLiveSession, type LiveSession } from './live-session.ts';
import type { WorkerAnswer, WorkerRequest } from './verify-message.ts';

let live: LiveSession | undefined;

const send = (answer: WorkerAnswer) => postMessage(answer);

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  switch (data.type) {
    case 'proof':
      void answerTo(data.request).then((answer) => send({ type: 'proof', answer }));
      break;
    case 'follow':
      live?.stop();
      live = createLiveSession(data.url, send);
      break;
    case 'blocks':
      live?.blocks(data.blocks);
      break;
    case 'evidence':
      void live?.evidence(data.id, data.item);
      break;
    default:
      data satisfies never;
  }
});

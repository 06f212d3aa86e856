/** The light client, and the verification of what the page shows: a check would block drawing. */
import { createLightSession, type LightSession } from './light-session.ts';
import type { WorkerAnswer, WorkerRequest } from './verify-message.ts';

let session: LightSession | undefined;

const send = (answer: WorkerAnswer) => postMessage(answer);

function started(url: string): LightSession {
  session?.stop();
  session = createLightSession(url, send);
  return session;
}

const sessionOf = (url: string): LightSession => (session?.url === url ? session : started(url));

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  switch (data.type) {
    case 'verify': {
      const { id, url } = data.request;
      void sessionOf(url)
        .verify(data.request)
        .then((verification) => send({ type: 'verified', answer: { id, verification } }));
      break;
    }
    case 'follow': {
      const known = sessionOf(data.url).genesisHash();
      const isOther = known !== undefined && known !== data.genesisHash;
      (isOther ? started(data.url) : sessionOf(data.url)).follow();
      break;
    }
    case 'evidence':
      void sessionOf(data.url).evidence(data.id, data.item);
      break;
    default:
      data satisfies never;
  }
});

/** The worker of the event stream: parsing and checking stay off the thread that draws. */
import type { PageMessage } from './page-message.ts';
import { type Session, startSession } from './session.ts';

let session: Session | undefined;

const timers = {
  now: () => Date.now(),
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

addEventListener('message', ({ data }: MessageEvent<PageMessage>) => {
  switch (data.type) {
    case 'start':
      session?.stop();
      session = startSession({ WebSocket, timers, post: (batch) => postMessage(batch) }, { url: data.url });
      break;
    case 'visible':
      session?.setVisible(data.visible);
      break;
    default:
      data satisfies never;
  }
});

/** Parses and checks off the drawing thread. */
import type { PageMessage } from './page-message.ts';
import { type Session, startSession } from './session.ts';
import { workerTimers } from './worker-timers.ts';

let session: Session | undefined;

addEventListener('message', ({ data }: MessageEvent<PageMessage>) => {
  switch (data.type) {
    case 'start':
      session?.stop();
      session = startSession(
        { WebSocket, timers: workerTimers, post: (batch) => postMessage(batch) },
        { url: data.url, node: data.node },
      );
      break;
    case 'visible':
      session?.setVisible(data.visible);
      break;
    default:
      data satisfies never;
  }
});

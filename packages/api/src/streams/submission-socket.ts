/** The submission stream over a WebSocket: binary messages both ways. */
import { BYE_CLOSE_CODES, type SubmissionNoticeWish } from '@slipstream/schema';
import {
  openSubmissionSession,
  type SubmissionComponents,
  type SubmissionLimits,
  type SubmissionSession,
} from './submission-session.ts';
import type { ServerSocket } from './web-socket.ts';

export function serveSubmissions(
  components: SubmissionComponents,
  socket: ServerSocket,
  wish: SubmissionNoticeWish,
  limits: SubmissionLimits,
): SubmissionSession {
  let tellRoom = () => {};
  const carrier = {
    send: (bytes: Uint8Array) => socket.send(bytes, () => tellRoom()),
    onRoom: (listener: () => void) => {
      tellRoom = listener;
    },
    unsentBytes: () => socket.bufferedAmount,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    end: (reason: keyof typeof BYE_CLOSE_CODES, detail: string) => {
      socket.resume(); // a paused socket would never read the answer to the close
      socket.close(BYE_CLOSE_CODES[reason], `${reason}: ${detail}`.slice(0, 120));
    },
  };
  const session = openSubmissionSession(components, carrier, wish, limits);
  socket.on('message', (data, isBinary) => {
    if (isBinary) session.take(data);
    else session.end('malformed-message', 'only binary messages are understood');
  });
  socket.on('close', () => session.gone());
  return session;
}

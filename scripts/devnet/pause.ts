/** SIGSTOP for a process of ours: it goes on when told so, and when we are gone and nobody could tell it. */
import { spawn } from 'node:child_process';

/** Waits for the end of its standard input, which comes with our end at the latest. */
const WAKE_WHEN_ALONE = 'read -r line; kill -CONT "$0"';

/** The result makes it go on. Idempotent. */
export function pauseProcess(pid: number): () => void {
  const waker = spawn('/bin/sh', ['-c', WAKE_WHEN_ALONE, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  waker.unref();
  waker.on('error', () => {}); // without a shell nothing wakes it but we
  process.kill(pid, 'SIGSTOP');
  let paused = true;
  return () => {
    if (!paused) return;
    paused = false;
    waker.kill('SIGKILL');
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // It was killed meanwhile.
    }
  };
}

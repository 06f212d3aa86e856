/** SIGSTOP for a process of ours: it goes on when told so, and when we are gone and nobody could tell it. */
import { spawn } from 'node:child_process';

/** Waits for the end of its standard input, which comes with our end at the latest. */
const WAKE_WHEN_ALONE = 'read -r line; kill -CONT "$0"';

/** Slow motion: it runs this long of every RUN_MS + STAND_MS, so at a tenth of its speed. */
const RUN_MS = 20;
const STAND_MS = 180;

/** The result makes it go on. Idempotent. */
export function pauseProcess(pid: number): () => void {
  const release = wakeWhenAlone(pid);
  process.kill(pid, 'SIGSTOP');
  return release;
}

/** Stopped and continued without end: it works, answers, and gets nowhere. The result lets it run freely. Idempotent. */
export function slowProcess(pid: number): () => void {
  const release = wakeWhenAlone(pid);
  let timer = setTimeout(stand, RUN_MS);

  function stand(): void {
    signal(pid, 'SIGSTOP');
    timer = setTimeout(run, STAND_MS);
  }

  function run(): void {
    signal(pid, 'SIGCONT');
    timer = setTimeout(stand, RUN_MS);
  }

  return () => {
    clearTimeout(timer);
    release();
  };
}

/** From now on the process is made to go on when we end; the result does so at once. */
function wakeWhenAlone(pid: number): () => void {
  const waker = spawn('/bin/sh', ['-c', WAKE_WHEN_ALONE, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  waker.unref();
  waker.on('error', () => {}); // without a shell nothing wakes it but we
  let asleep = true;
  return () => {
    if (!asleep) return;
    asleep = false;
    waker.kill('SIGKILL');
    signal(pid, 'SIGCONT');
  };
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It was killed meanwhile.
  }
}

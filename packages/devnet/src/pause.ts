/** SIGSTOP for a child process, which continues on request or when this process ends. */
import { spawn } from 'node:child_process';

/** Its standard input ends with this process at the latest. */
const WAKE_WHEN_ALONE = 'read -r line; kill -CONT "$0"';

/** Runs RUN_MS of every RUN_MS + STAND_MS: a tenth of the speed. */
const RUN_MS = 20;
const STAND_MS = 180;

/** Returns a function that continues the process. Idempotent. */
export function pauseProcess(pid: number): () => void {
  const release = wakeWhenAlone(pid);
  process.kill(pid, 'SIGSTOP');
  return release;
}

/** Stops and continues the process in a loop. Returns a function that ends the loop. Idempotent. */
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

/** Continues the process when this process ends, or when the returned function is called. */
function wakeWhenAlone(pid: number): () => void {
  const waker = spawn('/bin/sh', ['-c', WAKE_WHEN_ALONE, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  waker.unref();
  waker.on('error', () => {}); // without a shell only this process can continue it
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
    // The process was killed meanwhile.
  }
}

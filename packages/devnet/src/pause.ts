/** SIGSTOP for a child process: it continues on request, and when this process ends. */
import { spawn } from 'node:child_process';

/** Waits for the end of its standard input, which comes with this process's end at the latest. */
const WAKE_WHEN_ALONE = 'read -r line; kill -CONT "$0"';

/** Slow motion: runs RUN_MS of every RUN_MS + STAND_MS, a tenth of the speed. */
const RUN_MS = 20;
const STAND_MS = 180;

/** The result continues the process. Idempotent. */
export function pauseProcess(pid: number): () => void {
  const release = wakeWhenAlone(pid);
  process.kill(pid, 'SIGSTOP');
  return release;
}

/** Stops and continues the process in a loop: it answers, but makes little progress. The result ends the loop. Idempotent. */
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

/** From now on the process is continued when this process ends; the result does so at once. */
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

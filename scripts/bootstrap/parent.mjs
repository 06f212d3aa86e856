/** Whether npm, which started this process, still runs. What npm is told to stop by is passed on, but nothing tells of its death. */

const lookMs = 1_000;

/**
 * Ends this process as SIGTERM does once npm is gone. A process that was started otherwise outlives who started it: a shell that
 * ends, a service.
 * @param {string | undefined} script as npm names it
 */
export function endWithNpm(script) {
  const { npm_lifecycle_event: running, npm_lifecycle_script: command = '' } = process.env;
  // Programs that npm runs hand its variables on to theirs: only this script was started by npm itself.
  if (running === undefined || running !== script || !command.includes('scripts/bootstrap.mjs')) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, lookMs);
  timer.unref();
}

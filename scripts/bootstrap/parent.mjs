/** Detects the end of npm, which started this process: npm forwards its signals, but its death sends none. */

const lookMs = 1_000;

/**
 * Ends this process as by SIGTERM once npm is gone. A process with another parent, such as a shell or a service, outlives it.
 * @param {string | undefined} script as npm names it
 */
export function endWithNpm(script) {
  const { npm_lifecycle_event: running, npm_lifecycle_script: command = '' } = process.env;
  // Programs that npm runs pass its variables on to their children, so the variables must name this script.
  if (running === undefined || running !== script || !command.includes('scripts/bootstrap.mjs')) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, lookMs);
  timer.unref();
}

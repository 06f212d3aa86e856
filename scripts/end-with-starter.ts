/**
 * Ends a script without a command line when the bootstrap that started it is gone: its channel closes then. A network that the script
 * started detects the same, and stops in order.
 */
export function endWithStarter(): void {
  if (process.connected === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel must not keep a finished script running.
  process.channel?.unref();
}

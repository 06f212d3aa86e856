/**
 * A script that is no command of the command line ends when the bootstrap that started it is gone, however that ended: its channel closes
 * then. A network that the script started sees the same of it, and stops in order.
 */
export function endWithStarter(): void {
  if (process.connected === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // A script that is done does not wait for it.
  process.channel?.unref();
}

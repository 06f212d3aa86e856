/** Lets all that waits for this thread have its turn: reads from sockets and disks, timers, messages of other threads. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

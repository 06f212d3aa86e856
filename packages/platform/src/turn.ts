/** Yields the thread to other work: reads from sockets and disks, timers, messages of other threads. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

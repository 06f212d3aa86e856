/** Yields the thread to sockets, disks, timers and messages. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

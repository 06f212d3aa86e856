/**
 * Macrotasks: `next` resolves when every promise that needs no new input has settled.
 *
 * It posts a message to itself. All microtasks, including those that microtasks queue, run before the message (HTML
 * standard, "event loops"; Node does the same). Simulated code waits only for microtasks and virtual events, so the result
 * of a macrotask depends on nothing outside.
 */
export interface Macrotasks {
  next(): Promise<void>;
  /** An open channel would prevent the process from exiting. */
  close(): void;
}

export function openTurns(): Macrotasks {
  const { port1, port2 } = new MessageChannel();
  let resolveNext: () => void = () => {};
  port2.addEventListener('message', () => resolveNext());
  port2.start();
  return {
    next: () =>
      new Promise((resolve) => {
        resolveNext = resolve;
        port1.postMessage(undefined);
      }),
    close: () => port1.close(),
  };
}

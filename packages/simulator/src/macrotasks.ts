/**
 * Macrotasks: `next` resolves when every promise that needs no new input has settled. It posts itself a message, before which all
 * microtasks run (HTML standard, "event loops"; Node does the same). Simulated code waits only for microtasks and virtual events, so the
 * result depends on nothing outside.
 */
export interface Macrotasks {
  next(): Promise<void>;
  /** An open channel prevents the process from exiting. */
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

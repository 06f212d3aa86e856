/** Signals that stop a command in order, and what counts as one. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Whoever started this process opened a channel to it. */
const hasChannel = process.connected === true;

export interface Signals {
  /** See Terminal.onSignals. */
  listen(onSignal: (signal: string) => void): () => void;
  /** Tells all listeners; false when there is none. */
  tell(signal: string): boolean;
}

export function createSignals(): Signals {
  const listening = new Set<(signal: string) => void>();
  return {
    listen(onSignal) {
      let told = false;
      const tell = (signal: string) => {
        told = true;
        onSignal(signal);
      };
      const onDisconnect = () => {
        if (!told) tell('disconnect');
      };
      const listeners = SIGNALS.map((signal) => [signal, () => tell(signal)] as const);
      for (const [signal, listener] of listeners) process.on(signal, listener);
      process.on('disconnect', onDisconnect);
      // It may be gone already: the event came while nobody listened.
      if (hasChannel && !process.connected) setImmediate(onDisconnect);
      listening.add(tell);
      return () => {
        for (const [signal, listener] of listeners) process.off(signal, listener);
        process.off('disconnect', onDisconnect);
        listening.delete(tell);
      };
    },
    tell(signal) {
      for (const tell of [...listening]) tell(signal);
      return listening.size > 0;
    },
  };
}

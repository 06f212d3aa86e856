/**
 * Signals that stop a command in order.
 *
 *   SIGINT, SIGTERM, SIGHUP --within a second of the last? dropped--> every listener
 *   the channel to the process that started this one closes --a signal came before? dropped--> every listener, or the end
 */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * Within this time signals count as one: systemd, `timeout` and a closing terminal signal all processes, and the parent forwards the same
 * signal.
 */
const ONE_STOP_MS = 1_000;

type OnSignal = (signal: string) => void;

export interface Signals {
  /** See Terminal.onSignals. */
  listen(onSignal: OnSignal): () => void;
  /** Calls all listeners; false when there is none. */
  emit(signal: string): boolean;
}

interface SignalParts {
  /** The process, as the source of signals. */
  readonly source: Pick<NodeJS.Process, 'connected'> & {
    on(event: string, listener: () => void): unknown;
    off(event: string, listener: () => void): unknown;
  };
  nowMs(): number;
  /** Called when the parent process is gone and no listener stops in order. */
  orphaned(): void;
}

export function createSignals({ source, nowMs, orphaned }: SignalParts): Signals {
  const listeners = new Set<OnSignal>();
  const handlers = SIGNALS.map((signal) => [signal, () => void emit(signal)] as const);
  let signalledAtMs = Number.NEGATIVE_INFINITY;
  // The parent may be gone already.
  if (source.connected === false) setImmediate(onDisconnect);
  else if (source.connected === true) source.on('disconnect', onDisconnect);

  function onDisconnect(): void {
    if (signalledAtMs === Number.NEGATIVE_INFINITY && !emit('disconnect')) orphaned();
  }

  function emit(signal: string): boolean {
    if (nowMs() - signalledAtMs < ONE_STOP_MS) return true;
    if (listeners.size > 0) signalledAtMs = nowMs();
    for (const onSignal of [...listeners]) onSignal(signal);
    return listeners.size > 0;
  }

  return {
    listen(onSignal) {
      if (listeners.size === 0) for (const [signal, handler] of handlers) source.on(signal, handler);
      listeners.add(onSignal);
      return () => {
        listeners.delete(onSignal);
        if (listeners.size === 0) for (const [signal, handler] of handlers) source.off(signal, handler);
      };
    },
    emit,
  };
}

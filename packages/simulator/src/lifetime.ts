/**
 * Lifetime: from the start of a node's process to its end, clean or not.
 *
 * What belongs to a process (timers, handlers, calls under way) hangs on its lifetime. When it ends, timers never fire,
 * handlers hear nothing, and the promises of pending calls never settle: the code that waits for them is gone.
 */
export interface Lifetime {
  readonly alive: boolean;
  /** Runs `action` when the lifetime ends; returns a function that takes it back. */
  onEnd(action: () => void): () => void;
  end(): void;
}

export function createLifetime(): Lifetime {
  const actions = new Set<() => void>();
  let alive = true;
  return {
    get alive() {
      return alive;
    },
    onEnd(action) {
      actions.add(action);
      return () => {
        actions.delete(action);
      };
    },
    end() {
      if (!alive) return;
      alive = false;
      for (const action of actions) action();
      actions.clear();
    },
  };
}

/**
 * Lifetime: from the start of a node's process to its end, clean or not.
 *
 * What belongs to a process (timers, handlers, calls under way) hangs on its lifetime. When it ends, timers never fire,
 * handlers hear nothing, and the promises of pending calls never settle: the code that waits for them is gone.
 *
 * A paused process (SIGSTOP, a machine that is moved, a disk that hangs) hears nothing either, and takes all of it up when it goes on.
 */
export interface Lifetime {
  readonly alive: boolean;
  /** Runs `action` when the lifetime ends; returns a function that takes it back. */
  onEnd(action: () => void): () => void;
  end(): void;
  /** Runs `action` now, or when the process goes on; never once it has ended. */
  whenRunning(action: () => void, options?: { readonly timer: boolean }): void;
  pause(): void;
  /** Ends a pause. Returns what waited, in the order in which a process takes it up: timers that are due, then what came in. */
  resume(): readonly (() => void)[];
}

export function createLifetime(): Lifetime {
  const actions = new Set<() => void>();
  const waiting = { timers: [] as (() => void)[], others: [] as (() => void)[] };
  let alive = true;
  let paused = false;
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
    whenRunning(action, { timer } = { timer: false }) {
      if (!alive) return;
      if (paused) (timer ? waiting.timers : waiting.others).push(action);
      else action();
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      return [...waiting.timers.splice(0), ...waiting.others.splice(0)].map((action) => () => {
        if (alive) action();
      });
    },
  };
}

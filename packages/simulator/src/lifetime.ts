/**
 * Lifetime of a node's process. After its end, timers never fire, handlers get nothing, and pending promises never settle.
 *
 * A paused process (SIGSTOP, a VM migration, a hanging disk) gets everything when it resumes.
 */
export interface Lifetime {
  readonly alive: boolean;
  /** Returns a function that deregisters the action. */
  onEnd(action: () => void): () => void;
  end(): void;
  /** Now, or when the process resumes; never after its end. */
  whenRunning(action: () => void, options?: { readonly timer: boolean }): void;
  pause(): void;
  /** The waiting actions in the order of a process: due timers, then input. */
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

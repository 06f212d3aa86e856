/** What calls of actions have taken here recently: whether handing one over pays. No result depends on it. */

/** Copying a call to a worker and its result back costs about 4 us and 0.8 us a key, and its declaration runs twice. */
const WORTH_US = 20;
const WORTH_US_PER_KEY = 2;
/** Of the newest measurement in the mean. */
const NEWEST = 1 / 16;

/** How much longer than usual a worker may take before the executor runs a call itself. */
const PATIENCE = 2;
/** Until a thread that sleeps is awake. */
const WAKE_MS = 0.2;

export interface CallCosts {
  /** @param declaredUs stands for what was not measured yet */
  isWorthHanding(action: string, keys: number, declaredUs: number): boolean;
  /** How long to wait for a worker, ms. */
  patienceMs(action: string, declaredUs: number): number;
  measured(action: string, us: number): void;
}

export function createCallCosts(): CallCosts {
  const means = new Map<string, number>();
  return {
    isWorthHanding: (action, keys, declaredUs) =>
      (means.get(action) ?? declaredUs) >= WORTH_US + WORTH_US_PER_KEY * keys,
    patienceMs: (action, declaredUs) => WAKE_MS + (PATIENCE * (means.get(action) ?? declaredUs)) / 1_000,
    measured(action, us) {
      const mean = means.get(action);
      means.set(action, mean === undefined ? us : mean + NEWEST * (us - mean));
    },
  };
}

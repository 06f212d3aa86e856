/** What calls of actions have taken here recently: whether handing one over pays. No result depends on it. */

/** Copying a call to a worker and its result back costs about 4 us and 0.8 us a key, and its declaration runs twice. */
const WORTH_US = 20;
const WORTH_US_PER_KEY = 2;
/** Of the newest measurement in the mean. */
const NEWEST = 1 / 16;

export interface CallCosts {
  /** @param declaredUs stands for what was not measured yet */
  isWorthHanding(action: string, keys: number, declaredUs: number): boolean;
  measured(action: string, us: number): void;
}

export function createCallCosts(): CallCosts {
  const means = new Map<string, number>();
  return {
    isWorthHanding: (action, keys, declaredUs) =>
      (means.get(action) ?? declaredUs) >= WORTH_US + WORTH_US_PER_KEY * keys,
    measured(action, us) {
      const mean = means.get(action);
      means.set(action, mean === undefined ? us : mean + NEWEST * (us - mean));
    },
  };
}

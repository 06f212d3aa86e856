/** Checks that are refused while the verifier has much to do: shares are signed already, so they are worth another try. */
import type { Clock } from '@slipstream/ports';
import { CHECK_RETRY_MS, CHECK_TRIES } from './limits.ts';

export async function patiently<T>(clock: Pick<Clock, 'after'>, check: () => Promise<T>): Promise<T> {
  for (let left = CHECK_TRIES - 1; left > 0; left--) {
    try {
      return await check();
    } catch {
      await new Promise<void>((resolve) => void clock.after(CHECK_RETRY_MS, resolve));
    }
  }
  return check();
}

/**
 * Resubmission: transactions of abandoned own chunks that the pool lacks, because the chunks are from the log; and the pool of a node whose parts
 * are exchanged. A start has no connections, and a small window for clients, so what is refused for now is submitted again.
 */
import type { Clock } from '@slipstream/ports';
import type { Submit } from '../intake/client-intake.ts';

interface Resubmission {
  /** Within the bytes of own chunks, or of a pool; each until its expiry. */
  add(transactions: readonly Uint8Array[]): void;
  /** Not accepted yet. */
  waiting(): readonly Uint8Array[];
  stop(): void;
}

/** A start reads the state and connects meanwhile. */
const FIRST_MS = 500;
const AGAIN_MS = 1_000;

export function createResubmission({
  clock,
  intake,
}: {
  readonly clock: Pick<Clock, 'after'>;
  readonly intake: { readonly submit: Submit };
}): Resubmission {
  const timers = new Set<() => void>();
  const waiting = new Set<readonly Uint8Array[]>();
  let isStopped = false;

  function submitIn(delayMs: number, transactions: readonly Uint8Array[]): void {
    if (isStopped || transactions.length === 0) return;
    waiting.add(transactions);
    const cancel = clock.after(delayMs, () => {
      timers.delete(cancel);
      // A verifier that stopped rejects; its owner knows.
      submit(transactions)
        .catch(() => {})
        .finally(() => waiting.delete(transactions));
    });
    timers.add(cancel);
  }

  async function submit(transactions: readonly Uint8Array[]): Promise<void> {
    const results = await intake.submit(transactions);
    const isRefusedForNow = (_: Uint8Array, at: number) => {
      const result = results[at];
      return result?.type === 'rejected' && result.retryAfterMs !== undefined;
    };
    submitIn(AGAIN_MS, transactions.filter(isRefusedForNow));
  }

  return {
    add: (transactions) => submitIn(FIRST_MS, transactions),
    waiting: () => [...waiting].flat(),
    stop() {
      isStopped = true;
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}

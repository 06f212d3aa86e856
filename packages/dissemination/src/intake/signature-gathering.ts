/**
 * Signature gathering: collects clients' transactions into few large batches.
 *
 *   arrive --gatherMs, and until the batch before is answered, or until the batch is full--> one batch for each payer
 */
import type { Clock } from '@slipstream/ports';
import type { DecodedTransaction } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';
import type { Payer, Verdict } from './verdict.ts';

export type CheckGathered = (transactions: readonly DecodedTransaction[], payer: Payer) => Promise<readonly Verdict[]>;

interface Waiting {
  readonly transactions: readonly DecodedTransaction[];
  resolve(verdicts: readonly Verdict[]): void;
  reject(cause: unknown): void;
}

/** One payer's, since the last flush. */
interface Gathering {
  readonly payer: Payer;
  readonly waiting: Waiting[];
  count: number;
}

export function createSignatureGathering(
  clock: Pick<Clock, 'after'>,
  check: CheckGathered,
  limits: Pick<DisseminationLimits, 'gatherMs' | 'gatherSignaturesMax'>,
): CheckGathered {
  const gathering = new Map<string, Gathering>();
  let cancelGather: (() => void) | undefined;
  /** Batches at the verifier; the next gathers meanwhile. */
  let answering = 0;
  let isDue = false;

  function onGathered(): void {
    cancelGather = undefined;
    if (answering === 0) flush();
    else isDue = true;
  }

  function flush(): void {
    cancelGather?.();
    cancelGather = undefined;
    isDue = false;
    const batches = [...gathering.values()];
    gathering.clear();
    for (const batch of batches) void answer(batch);
  }

  async function answer({ waiting, payer }: Gathering): Promise<void> {
    answering += 1;
    try {
      const all = waiting.flatMap(({ transactions }) => transactions);
      const verdicts = await check(all, payer);
      let at = 0;
      for (const { transactions, resolve } of waiting) {
        resolve(verdicts.slice(at, at + transactions.length));
        at += transactions.length;
      }
    } catch (cause) {
      for (const { reject } of waiting) reject(cause);
    } finally {
      answering -= 1;
      if (isDue && answering === 0) flush();
    }
  }

  return (transactions, payer) =>
    new Promise((resolve, reject) => {
      const batch = gathering.get(payer.name) ?? { payer, waiting: [], count: 0 };
      gathering.set(payer.name, batch);
      batch.waiting.push({ transactions, resolve, reject });
      batch.count += transactions.length;
      if (batch.count >= limits.gatherSignaturesMax) flush();
      else if (!isDue) cancelGather ??= clock.after(limits.gatherMs, onGathered);
    });
}

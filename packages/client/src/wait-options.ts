/** Options of waiting until a transaction ends. */
import type { TransactionView } from '@slipstream/schema';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** For all of it. Default: until the transaction has expired, and a margin. */
  readonly timeoutMs?: number;
  /** Told of each status on the way, once; and of a reason for which a node put it aside: it is `pending` until its expiry. */
  readonly onStatus?: (view: TransactionView) => void;
}

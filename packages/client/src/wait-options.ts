/** Options of waiting until a transaction ends. */
import type { TransactionView } from '@slipstream/schema';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Total time. Default: until the transaction has expired, and a margin. */
  readonly timeoutMs?: number;
  /** Called once per change of status, and when a node sets the transaction aside for a reason: it stays `pending` until it expires. */
  readonly onStatus?: (view: TransactionView) => void;
}

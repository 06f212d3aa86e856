import type { TransactionView } from '@slipstream/schema';

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** In total. Default: until the expiry, and a margin. */
  readonly timeoutMs?: number;
  /** Per change of status, and when a node sets the transaction aside: it stays `pending` until it expires. */
  readonly onStatus?: (view: TransactionView) => void;
}

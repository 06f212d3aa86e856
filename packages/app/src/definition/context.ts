/** What an action knows of its transaction and block. */
import { byteText32, byteText33 } from '../forms/byte-text.ts';
import type { Account, Id } from '../forms/opaque.ts';

export interface Context {
  readonly sender: Account;
  readonly transactionId: Id;
  /** The block's time, milliseconds since 1970. */
  readonly timeMs: number;
  readonly height: number;
}

interface BytesContext {
  readonly sender: Uint8Array;
  readonly transactionId: Uint8Array;
  readonly timeMs: number;
  readonly height: number;
}

export function contextOf({ sender, transactionId, timeMs, height }: BytesContext): Context {
  return {
    sender: byteText33(sender, 0) as Account,
    transactionId: byteText32(transactionId, 0) as Id,
    timeMs,
    height,
  };
}

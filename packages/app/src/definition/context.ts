/** What an action knows of its transaction and block. */
import { byteTextFrom } from '../forms/byte-text.ts';
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
    sender: byteTextFrom(sender, 0, sender.length) as Account,
    transactionId: byteTextFrom(transactionId, 0, transactionId.length) as Id,
    timeMs,
    height,
  };
}

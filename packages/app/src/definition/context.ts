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
  readonly sender: Uint8Array | string;
  readonly transactionId: Uint8Array | string;
  readonly timeMs: number;
  readonly height: number;
}

export function contextOf({ sender, transactionId, timeMs, height }: BytesContext): Context {
  return { sender: textOf(sender) as Account, transactionId: textOf(transactionId) as Id, timeMs, height };
}

const textOf = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : byteTextFrom(bytes, 0, bytes.length);

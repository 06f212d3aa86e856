/**
 * Calls and their results as bytes, for memory that threads share.
 *
 *   list:    count u32 | for each: length u32, bytes                          (little-endian)
 *   call:    list of head (application, action: u16), sender, transaction id, input, then key and value of each entry
 *   result:  list of code (empty: success), output, coins (collected, asked: u64), accounts paid (33 bytes each), then of each change its
 *            head (position u16, kind u8) and value
 *
 * The value of an absent entry is a list's item of length ABSENT.
 */
import { assert, concatBytes, fromUtf8, utf8 } from '@slipstream/primitives';
import { type AccountKey, accountKeyBytes, accountKeyFromWire } from '@slipstream/types';
import type { CallChange, HandedCall, HandedEntry, HandedResult } from './call-workers.ts';

type Item = Uint8Array | undefined;

const WORD = 4;
const ABSENT = 0xffff_ffff;
const CHANGE = { value: 0, balance: 1 } as const;
const CHANGE_HEAD_BYTES = 3;
const BALANCE_BYTES = 8;
const ACCOUNT_BYTES = 33;

/** What a result has besides its output and values, for each of its changes. */
export const CHANGE_BYTES = 2 * WORD + CHANGE_HEAD_BYTES;
/** For each account that was paid. */
export const PAYEE_BYTES = ACCOUNT_BYTES;
/** And without any. */
export const RESULT_BYTES = 96;

export function callItems({ application, action, sender, transactionId, input, entries }: HandedCall): readonly Item[] {
  const head = Uint8Array.of(application, application >>> 8, action, action >>> 8);
  const items: Item[] = [head, sender, transactionId, input];
  for (const { key, value } of entries) items.push(key, value);
  return items;
}

export function callOfItems(items: readonly Item[]): HandedCall {
  const [head, sender, transactionId, input, ...rest] = items;
  assert(head && sender && transactionId && input, 'a call has a head, a sender, an id and an input');
  const entries: HandedEntry[] = [];
  for (let i = 0; i < rest.length; i += 2) entries.push({ key: rest[i] as Uint8Array, value: rest[i + 1] });
  const view = new DataView(head.buffer, head.byteOffset);
  const [application, action] = [view.getUint16(0, true), view.getUint16(2, true)];
  return { application, action, sender, transactionId, input, entries, resultBytesMax: 0 };
}

export function resultItems(result: HandedResult): readonly Item[] {
  const coins = concatBytes(balanceBytes(result.collected), balanceBytes(result.asked));
  if (!result.ok) return [utf8(result.code), result.output, coins];
  const items: Item[] = [new Uint8Array(0), result.output, coins, concatBytes(...result.paid.map(accountKeyBytes))];
  for (const change of result.changes) {
    const isBalance = 'balance' in change;
    items.push(Uint8Array.of(change.at, change.at >>> 8, isBalance ? CHANGE.balance : CHANGE.value));
    items.push(isBalance ? balanceBytes(change.balance) : change.value);
  }
  return items;
}

export function resultOfItems([code, output, coins, payees, ...rest]: readonly Item[]): HandedResult {
  assert(code && output && coins, 'a result has a code, an output and sums of coins');
  const sums = { collected: balanceIn(coins), asked: balanceIn(coins.subarray(BALANCE_BYTES)) };
  if (code.length > 0) return { ok: false, code: fromUtf8(code), output, ...sums };
  const changes: CallChange[] = [];
  for (let i = 0; i < rest.length; i += 2) {
    const [low, high, kind] = rest[i] as Uint8Array as unknown as [number, number, number];
    const at = low | (high << 8);
    const value = rest[i + 1];
    changes.push(kind === CHANGE.balance ? { at, balance: balanceIn(value as Uint8Array) } : { at, value });
  }
  return { ok: true, output, changes, paid: accountsIn(payees ?? new Uint8Array(0)), ...sums };
}

function accountsIn(bytes: Uint8Array): readonly AccountKey[] {
  return Array.from({ length: bytes.length / ACCOUNT_BYTES }, (_, i) => {
    const at = i * ACCOUNT_BYTES;
    return accountKeyFromWire({ scheme: bytes[at] as number, bytes: bytes.slice(at + 1, at + ACCOUNT_BYTES) });
  });
}

export function listBytes(items: readonly Item[]): number {
  let bytes = WORD * (1 + items.length);
  for (const item of items) bytes += item?.length ?? 0;
  return bytes;
}

/** Into a place of `listBytes`. */
export function writeList(items: readonly Item[], into: Uint8Array): void {
  const view = new DataView(into.buffer, into.byteOffset);
  view.setUint32(0, items.length, true);
  let at = WORD;
  for (const item of items) {
    view.setUint32(at, item?.length ?? ABSENT, true);
    at += WORD;
    if (item === undefined) continue;
    into.set(item, at);
    at += item.length;
  }
}

/** Copies: the memory may be shared. */
export function readList(from: Uint8Array): readonly Item[] {
  const view = new DataView(from.buffer, from.byteOffset);
  const count = view.getUint32(0, true);
  const items: Item[] = [];
  for (let i = 0, at = WORD; i < count; i++) {
    const length = view.getUint32(at, true);
    at += WORD;
    items.push(length === ABSENT ? undefined : from.slice(at, at + length));
    if (length !== ABSENT) at += length;
  }
  return items;
}

function balanceBytes(balance: bigint): Uint8Array {
  const bytes = new Uint8Array(BALANCE_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, balance, true);
  return bytes;
}

const balanceIn = ({ buffer, byteOffset }: Uint8Array): bigint =>
  new DataView(buffer, byteOffset).getBigUint64(0, true);

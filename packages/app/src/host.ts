/**
 * The functions that an application has of the node. They take and give bytes and numbers, so a WebAssembly application could import
 * the same ones.
 *
 * Where a function takes a length, so many bytes of the array count. Arrays are the caller's again once it returns: the host copies what it
 * keeps, so an application's kit uses the same memory for all of them.
 *
 * What the host throws ends the call: the kit passes it on unchanged.
 */

/** The table of native balances in `key`; tables of an application have the numbers below it. */
export const COIN_TABLE = 255;

/** No value is longer. */
export const VALUE_BYTES_MAX = 65_536;

/** Where there is no value. */
export const ABSENT = -1;

export interface Host {
  /**
   * The number of a key, for the call in hand. The host puts its own prefix before the bytes.
   *
   * @param table number of the application's table, or `COIN_TABLE`, whose keys are accounts of 33 bytes
   */
  key(table: number, bytes: Uint8Array, length: number): number;
  /** Copies the value, at most `VALUE_BYTES_MAX`, as far as it fits. @returns its length, or `ABSENT`. A native balance is a u64, little-endian. */
  get(key: number, into: Uint8Array): number;
  /** Undefined deletes. Refused for native balances. */
  put(key: number, value: Uint8Array | undefined, length: number): void;
  /** Appends an event to the receipt. */
  emit(event: number, body: Uint8Array, length: number): void;
  /** Native coins of the sender into a purse. False: the balance or a session's limit is too small, and nothing moved. */
  collect(label: Uint8Array, amount: bigint): boolean;
  /** Native coins of a purse to an account of 33 bytes. False: the purse has fewer, and nothing moved. */
  pay(label: Uint8Array, to: Uint8Array, amount: bigint): boolean;
  /** The account of a purse, 33 bytes. */
  purse(label: Uint8Array): Uint8Array;
  sha256(bytes: Uint8Array): Uint8Array;
}

/**
 * Thrown by what surrounds an application's code, such as its limit of ticks. The kit passes an error with this mark on unchanged, as it
 * does with all that the host throws.
 */
export interface Interruption {
  readonly interrupts: true;
}

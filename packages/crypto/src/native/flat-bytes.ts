/** Writer and reader of a flat buffer of known length. Methods need no `this`. */
import { assert } from '@slipstream/primitives';

export interface Writer {
  u8(value: number): void;
  u32(value: number): void;
  f64(value: number): void;
  /** Length (u32), then the bytes. */
  bytes(value: Uint8Array): void;
  /** Length (u32), then the items. */
  list<T>(items: readonly T[], write: (item: T) => void): void;
  finish(): Uint8Array<ArrayBuffer>;
}

export function createWriter(length: number): Writer {
  const target = new Uint8Array(length);
  const view = new DataView(target.buffer);
  let at = 0;

  function u8(value: number): void {
    view.setUint8(at, value);
    at += 1;
  }
  function u32(value: number): void {
    view.setUint32(at, value, true);
    at += 4;
  }
  function f64(value: number): void {
    view.setFloat64(at, value, true);
    at += 8;
  }
  function bytes(value: Uint8Array): void {
    u32(value.length);
    target.set(value, at);
    at += value.length;
  }
  function list<T>(items: readonly T[], write: (item: T) => void): void {
    u32(items.length);
    for (const item of items) write(item);
  }
  function finish(): Uint8Array<ArrayBuffer> {
    assert(at === length, 'a flat buffer is as long as what was written to it');
    return target;
  }
  return { u8, u32, f64, bytes, list, finish };
}

export interface Reader {
  u8(): number;
  u32(): number;
  f64(): number;
  /** Shares the buffer's memory. */
  bytes(): Uint8Array;
  list<T>(read: () => T): T[];
}

export function createReader(source: Uint8Array): Reader {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  let at = 0;

  function u8(): number {
    at += 1;
    return view.getUint8(at - 1);
  }
  function u32(): number {
    at += 4;
    return view.getUint32(at - 4, true);
  }
  function f64(): number {
    at += 8;
    return view.getFloat64(at - 8, true);
  }
  function bytes(): Uint8Array {
    const length = u32();
    assert(at + length <= source.length, 'a byte string ends within its buffer');
    at += length;
    return source.subarray(at - length, at);
  }
  function list<T>(read: () => T): T[] {
    return Array.from({ length: u32() }, read);
  }
  return { u8, u32, f64, bytes, list };
}

export const LENGTH_BYTES = 4;

/** Of a byte string. */
export function sizeOf(bytes: Uint8Array): number {
  return LENGTH_BYTES + bytes.length;
}

export function total<T>(items: readonly T[], bytesOf: (item: T) => number): number {
  return items.reduce((sum, item) => sum + bytesOf(item), 0);
}

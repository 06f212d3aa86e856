/**
 * Value writer: plain data to bytes, as the flight recorder needs it: fast, compact, and faithful (value-reader.ts reads them).
 *
 * Plain data is undefined, null, booleans, numbers, strings, byte arrays, arrays, maps, sets and objects of these. Names and short
 * strings are written once a stream and named by number afterwards, so a stream is read from its start. With `identity`, what is one
 * object in memory is one object again when read: books share entries.
 *
 * Not a wire format: nothing but recordings of this program is read with it. Reading checks every bound all the same.
 */
import { assert } from '@slipstream/primitives';

export const TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  /** An integer of at least 0 below 2^32, in groups of seven bits. */
  count: 4,
  float: 5,
  /** A string, and it gets the next number. */
  newString: 6,
  knownString: 7,
  /** A string too long, or too late, to be remembered. */
  longString: 8,
  bytes: 9,
  array: 10,
  map: 11,
  set: 12,
  /** An object, the names of whose fields get the next number. */
  newShape: 13,
  knownShape: 14,
  /** An object that was written before. */
  same: 15,
} as const;

/** Longer strings are never names. A peer's key has 64 characters. */
const REMEMBERED_LENGTH_MAX = 64;
const REMEMBERED_MAX = 4096;
/** Deeper data is no event, and no state. */
export const DEPTH_MAX = 32;

export interface ValueWriter {
  /** Appends a value; bytes since the last `take` belong together. */
  write(value: unknown, options?: { readonly identity?: boolean }): void;
  writeFloat(value: number): void;
  writeWord(value: number): void;
  /** What was written since the last call; valid until the next write. Its start is aligned to four bytes. */
  take(): Uint8Array;
}

interface Shape {
  /** By the next field's name. */
  readonly next: Map<string, Shape>;
  number: number | undefined;
}

const utf8 = new TextEncoder();

export function createValueWriter(): ValueWriter {
  let buffer = new Uint8Array(64 * 1024);
  let view = new DataView(buffer.buffer);
  let at = 0;
  let ended = 0;
  const strings = new Map<string, number>();
  const shapes: Shape = { next: new Map(), number: undefined };
  let shapesKnown = 0;
  let seen: Map<object, number> | undefined;

  function room(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * buffer.length, at + bytes));
    larger.set(buffer.subarray(0, at));
    buffer = larger;
    view = new DataView(buffer.buffer);
  }

  function tag(value: number): void {
    room(10);
    buffer[at++] = value;
  }

  function count(value: number): void {
    room(5);
    let rest = value;
    while (rest > 127) {
      buffer[at++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    buffer[at++] = rest;
  }

  function number(value: number): void {
    if (Number.isInteger(value) && value >= 0 && value < 2 ** 32 && !Object.is(value, -0)) {
      tag(TAG.count);
      count(value);
    } else {
      tag(TAG.float);
      writeFloat(value);
    }
  }

  function writeFloat(value: number): void {
    room(8);
    view.setFloat64(at, value, true);
    at += 8;
  }

  function string(value: string): void {
    const known = strings.get(value);
    if (known !== undefined) {
      tag(TAG.knownString);
      count(known);
      return;
    }
    const remembered = value.length <= REMEMBERED_LENGTH_MAX && strings.size < REMEMBERED_MAX;
    if (remembered) strings.set(value, strings.size);
    tag(remembered ? TAG.newString : TAG.longString);
    text(value);
  }

  function text(value: string): void {
    const bytes = utf8.encode(value);
    count(bytes.length);
    raw(bytes);
  }

  function raw(bytes: Uint8Array): void {
    room(bytes.length);
    buffer.set(bytes, at);
    at += bytes.length;
  }

  /** True when only a reference was due. */
  function reference(value: object): boolean {
    const known = seen?.get(value);
    if (known === undefined) {
      seen?.set(value, seen.size);
      return false;
    }
    tag(TAG.same);
    count(known);
    return true;
  }

  function any(value: unknown, depth: number): void {
    switch (typeof value) {
      case 'undefined':
        return tag(TAG.undefined);
      case 'boolean':
        return tag(value ? TAG.true : TAG.false);
      case 'number':
        return number(value);
      case 'string':
        return string(value);
      case 'object':
        return value === null ? tag(TAG.null) : object(value, depth);
      default:
        assert(false, `plain data has no ${typeof value}`);
    }
  }

  function object(value: object, depth: number): void {
    assert(depth < DEPTH_MAX, 'plain data is not this deep');
    if (reference(value)) return;
    if (value instanceof Uint8Array) {
      tag(TAG.bytes);
      count(value.length);
      raw(value);
    } else if (Array.isArray(value)) {
      tag(TAG.array);
      count(value.length);
      for (const entry of value) any(entry, depth + 1);
    } else if (value instanceof Map) {
      tag(TAG.map);
      count(value.size);
      for (const [key, entry] of value) {
        any(key, depth + 1);
        any(entry, depth + 1);
      }
    } else if (value instanceof Set) {
      tag(TAG.set);
      count(value.size);
      for (const entry of value) any(entry, depth + 1);
    } else {
      fields(value as Readonly<Record<string, unknown>>, depth);
    }
  }

  function fields(value: Readonly<Record<string, unknown>>, depth: number): void {
    let shape = shapes;
    const names = Object.keys(value);
    for (const name of names) {
      let next = shape.next.get(name);
      if (next === undefined) {
        next = { next: new Map(), number: undefined };
        shape.next.set(name, next);
      }
      shape = next;
    }
    if (shape.number === undefined) {
      shape.number = shapesKnown++;
      tag(TAG.newShape);
      count(names.length);
      for (const name of names) text(name);
    } else {
      tag(TAG.knownShape);
      count(shape.number);
    }
    for (const name of names) any(value[name], depth + 1);
  }

  return {
    write(value, { identity = false } = {}) {
      if (at === ended) at = ended = 0;
      seen = identity ? new Map() : undefined;
      any(value, 0);
      seen = undefined;
    },
    writeFloat,
    writeWord(value) {
      room(4);
      view.setUint32(at, value, true);
      at += 4;
    },
    take() {
      const taken = buffer.subarray(0, at);
      ended = at;
      return taken;
    },
  };
}

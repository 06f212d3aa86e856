/**
 * Value writer: plain data to bytes, as the flight recorder needs it: fast, compact, and faithful (value-reader.ts reads them).
 *
 * Plain data is undefined, null, booleans, numbers, strings, byte arrays, arrays, maps, sets and objects of these. Names and short
 * strings are written once a stream and named by number afterwards, so a stream is read from its start. With `identity`, what is one
 * object in memory is one object again when read: the core's stores share entries.
 *
 * Not a wire format: nothing but recordings of this program is read with it. Reading checks every bound all the same.
 */
import { assert } from '@slipstream/primitives';
import { ByteWriter } from './byte-writer.ts';

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

/** The names of an object's fields, one node a name: objects of equal names share a number. */
interface Shape {
  /** By the next field's name. */
  readonly next: Map<string, Shape>;
  number: number | undefined;
}

const utf8 = new TextEncoder();

export class ValueWriter {
  readonly #out = new ByteWriter();
  readonly #strings = new Map<string, number>();
  readonly #shapes: Shape = { next: new Map(), number: undefined };
  #shapesKnown = 0;
  #seen: Map<object, number> | undefined;

  /** Appends a value; bytes since the last `take` belong together. */
  write(value: unknown, { identity = false }: { readonly identity?: boolean } = {}): void {
    this.#out.begin();
    this.#seen = identity ? new Map() : undefined;
    this.#value(value, 0);
    this.#seen = undefined;
  }

  writeFloat(value: number): void {
    this.#out.float(value);
  }

  /** What was written since the last call; valid until the next write. Its start is aligned to four bytes. */
  take(): Uint8Array {
    return this.#out.take();
  }

  #value(value: unknown, depth: number): void {
    switch (typeof value) {
      case 'undefined':
        return this.#out.byte(TAG.undefined);
      case 'boolean':
        return this.#out.byte(value ? TAG.true : TAG.false);
      case 'number':
        return this.#number(value);
      case 'string':
        return this.#string(value);
      case 'object':
        return value === null ? this.#out.byte(TAG.null) : this.#object(value, depth);
      default:
        assert(false, `plain data has no ${typeof value}`);
    }
  }

  #number(value: number): void {
    if (Number.isInteger(value) && value >= 0 && value < 2 ** 32 && !Object.is(value, -0)) {
      this.#tagged(TAG.count, value);
    } else {
      this.#out.byte(TAG.float);
      this.#out.float(value);
    }
  }

  #string(value: string): void {
    const known = this.#strings.get(value);
    if (known !== undefined) return this.#tagged(TAG.knownString, known);
    const remembered = value.length <= REMEMBERED_LENGTH_MAX && this.#strings.size < REMEMBERED_MAX;
    if (remembered) this.#strings.set(value, this.#strings.size);
    this.#out.byte(remembered ? TAG.newString : TAG.longString);
    this.#out.bytes(utf8.encode(value));
  }

  #object(value: object, depth: number): void {
    assert(depth < DEPTH_MAX, 'plain data is not this deep');
    if (this.#reference(value)) return;
    if (value instanceof Uint8Array) {
      this.#out.byte(TAG.bytes);
      this.#out.bytes(value);
    } else if (Array.isArray(value)) {
      this.#tagged(TAG.array, value.length);
      for (const entry of value) this.#value(entry, depth + 1);
    } else if (value instanceof Map) {
      this.#tagged(TAG.map, value.size);
      for (const [key, entry] of value) {
        this.#value(key, depth + 1);
        this.#value(entry, depth + 1);
      }
    } else if (value instanceof Set) {
      this.#tagged(TAG.set, value.size);
      for (const entry of value) this.#value(entry, depth + 1);
    } else {
      this.#fields(value as Readonly<Record<string, unknown>>, depth);
    }
  }

  /** True when only a reference was due. */
  #reference(value: object): boolean {
    const known = this.#seen?.get(value);
    if (known === undefined) {
      this.#seen?.set(value, this.#seen.size);
      return false;
    }
    this.#tagged(TAG.same, known);
    return true;
  }

  #fields(value: Readonly<Record<string, unknown>>, depth: number): void {
    const names = Object.keys(value);
    const shape = this.#shapeOf(names);
    if (shape.number === undefined) {
      shape.number = this.#shapesKnown++;
      this.#tagged(TAG.newShape, names.length);
      for (const name of names) this.#out.bytes(utf8.encode(name));
    } else {
      this.#tagged(TAG.knownShape, shape.number);
    }
    for (const name of names) this.#value(value[name], depth + 1);
  }

  #shapeOf(names: readonly string[]): Shape {
    let shape = this.#shapes;
    for (const name of names) {
      let next = shape.next.get(name);
      if (next === undefined) {
        next = { next: new Map(), number: undefined };
        shape.next.set(name, next);
      }
      shape = next;
    }
    return shape;
  }

  #tagged(tag: number, count: number): void {
    this.#out.byte(tag);
    this.#out.count(count);
  }
}

/**
 * Value writer: encodes plain data compactly and fast (value-reader.ts decodes): undefined, null, booleans, numbers, bigints, strings,
 * byte arrays, arrays, maps, sets and objects of these.
 *
 * A stream writes each name and short string once, then its number, so a reader starts at the stream's begin. `identity` preserves shared
 * references, as the core's stores share entries. No wire format, but reading checks every bound.
 */
import { assert } from '@slipstream/primitives';
import { ByteWriter } from './byte-writer.ts';

export const TAG = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  /** From 0 to 2^32 - 1, in groups of seven bits. */
  count: 4,
  float: 5,
  /** Gets the next number. */
  newString: 6,
  knownString: 7,
  /** Too long, or too late, for a number. */
  longString: 8,
  bytes: 9,
  array: 10,
  map: 11,
  set: 12,
  /** Its field names get the next number. */
  newShape: 13,
  knownShape: 14,
  /** Written before. */
  same: 15,
  /** Decimal digits. */
  bigint: 16,
} as const;

/** Longer strings are never names; a peer's key has 64 characters. */
const REMEMBERED_LENGTH_MAX = 64;
const REMEMBERED_MAX = 4096;
/** No event or state is deeper. */
export const DEPTH_MAX = 32;

/** A trie over field names: equal names share a number. */
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

  write(value: unknown, { identity = false }: { readonly identity?: boolean } = {}): void {
    this.#out.begin();
    this.#seen = identity ? new Map() : undefined;
    this.#value(value, 0);
    this.#seen = undefined;
  }

  writeFloat(value: number): void {
    this.#out.float(value);
  }

  /** The bytes since the last call, aligned to four bytes. Valid until the next write. */
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
      case 'bigint':
        this.#out.byte(TAG.bigint);
        return this.#out.bytes(utf8.encode(String(value)));
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

  /** Writes a reference to an object written before, or returns false. */
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

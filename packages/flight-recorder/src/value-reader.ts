import { ByteReader } from './byte-reader.ts';
import { unreadable } from './errors.ts';
import { DEPTH_MAX, TAG } from './value-writer.ts';

/** Reads what ValueWriter wrote. Throws RecordingError `recording-unreadable` on anything else. */
export class ValueReader {
  readonly #in = new ByteReader();
  readonly #strings: string[] = [];
  readonly #shapes: string[][] = [];
  #seen: object[] | undefined;

  /** Continues with these bytes. Strings and shapes of earlier bytes stay known. */
  open(bytes: Uint8Array): void {
    this.#in.open(bytes);
  }

  read({ identity = false }: { readonly identity?: boolean } = {}): unknown {
    this.#seen = identity ? [] : undefined;
    const value = this.#value(0);
    this.#seen = undefined;
    return value;
  }

  readFloat(): number {
    return this.#in.float();
  }

  readWord(): number {
    return this.#in.word();
  }

  get left(): number {
    return this.#in.left;
  }

  #value(depth: number): unknown {
    if (depth > DEPTH_MAX) throw unreadable('its data is too deep');
    switch (this.#in.byte()) {
      case TAG.undefined:
        return undefined;
      case TAG.null:
        return null;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.count:
        return this.#in.count();
      case TAG.float:
        return this.#in.float();
      case TAG.newString:
        return this.#newString();
      case TAG.knownString:
        return this.#known(this.#strings, 'string');
      case TAG.longString:
        return this.#in.text();
      case TAG.bigint:
        return this.#bigint();
      case TAG.bytes:
        return this.#remember(this.#in.bytes());
      case TAG.array:
        return this.#array(depth);
      case TAG.map:
        return this.#map(depth);
      case TAG.set:
        return this.#set(depth);
      case TAG.newShape:
        return this.#fields(this.#newShape(), depth);
      case TAG.knownShape:
        return this.#fields(this.#known(this.#shapes, 'shape'), depth);
      case TAG.same:
        return this.#known(this.#seen, 'value');
      default:
        throw unreadable('it has a kind of value that does not exist');
    }
  }

  #newString(): string {
    const value = this.#in.text();
    this.#strings.push(value);
    return value;
  }

  #bigint(): bigint {
    const digits = this.#in.text();
    if (!/^-?[0-9]{1,80}$/.test(digits)) throw unreadable('a bigint is no number');
    return BigInt(digits);
  }

  #newShape(): readonly string[] {
    const names = Array.from({ length: this.#in.length() }, () => this.#in.text());
    if (names.includes('__proto__')) throw unreadable('a field has a name that no event has');
    this.#shapes.push(names);
    return names;
  }

  #array(depth: number): unknown[] {
    const into: unknown[] = this.#remember([]);
    const size = this.#in.length();
    for (let i = 0; i < size; i++) into.push(this.#value(depth + 1));
    return into;
  }

  #set(depth: number): Set<unknown> {
    const into = this.#remember(new Set<unknown>());
    const size = this.#in.length();
    for (let i = 0; i < size; i++) into.add(this.#value(depth + 1));
    return into;
  }

  #map(depth: number): Map<unknown, unknown> {
    const into = this.#remember(new Map<unknown, unknown>());
    const size = this.#in.length();
    for (let i = 0; i < size; i++) {
      const key = this.#value(depth + 1);
      into.set(key, this.#value(depth + 1));
    }
    return into;
  }

  #fields(names: readonly string[], depth: number): object {
    const value: Record<string, unknown> = this.#remember({});
    for (const name of names) value[name] = this.#value(depth + 1);
    return value;
  }

  #known<T>(table: readonly T[] | undefined, what: string): T {
    const found = table?.[this.#in.count()];
    if (found === undefined) throw unreadable(`it names a ${what} that is not there`);
    return found;
  }

  #remember<T extends object>(value: T): T {
    this.#seen?.push(value);
    return value;
  }
}

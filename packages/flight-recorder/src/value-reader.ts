/** Value reader: what a value writer wrote, as the same plain data. */
import { concatBytes } from '@slipstream/primitives';
import { unreadable } from './errors.ts';
import { DEPTH_MAX, TAG } from './value-writer.ts';

export interface ValueReader {
  /** Reads from these bytes now; what earlier ones defined stays known. */
  open(bytes: Uint8Array): void;
  read(options?: { readonly identity?: boolean }): unknown;
  readFloat(): number;
  readWord(): number;
  readonly left: number;
}

const text8 = new TextDecoder('utf-8', { fatal: true });

/** Throws RecordingError `recording-unreadable` on anything that the writer did not write. */
export function createValueReader(): ValueReader {
  let bytes: Uint8Array = new Uint8Array(0);
  let view = new DataView(bytes.buffer);
  let at = 0;
  const strings: string[] = [];
  const shapes: string[][] = [];
  let seen: object[] | undefined;

  function need(length: number): void {
    if (at + length > bytes.length) throw unreadable('it ends in the middle of a value');
  }

  function byte(): number {
    need(1);
    return bytes[at++] as number;
  }

  function count(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = byte();
      value += (next & 127) * scale;
      if (next < 128) return value;
      if (scale > 2 ** 28) throw unreadable('a count is too large');
    }
  }

  /** So many entries of at least one byte each. */
  function length(): number {
    const value = count();
    need(value);
    return value;
  }

  function raw(): Uint8Array {
    const size = length();
    at += size;
    return bytes.slice(at - size, at);
  }

  function text(): string {
    try {
      return text8.decode(raw());
    } catch {
      throw unreadable('a string is not UTF-8');
    }
  }

  function readFloat(): number {
    need(8);
    at += 8;
    return view.getFloat64(at - 8, true);
  }

  function known<T>(table: readonly T[] | undefined, what: string): T {
    const found = table?.[count()];
    if (found === undefined) throw unreadable(`it names a ${what} that is not there`);
    return found;
  }

  function remember<T extends object>(value: T): T {
    seen?.push(value);
    return value;
  }

  function any(depth: number): unknown {
    if (depth > DEPTH_MAX) throw unreadable('its data is too deep');
    switch (byte()) {
      case TAG.undefined:
        return undefined;
      case TAG.null:
        return null;
      case TAG.false:
        return false;
      case TAG.true:
        return true;
      case TAG.count:
        return count();
      case TAG.float:
        return readFloat();
      case TAG.newString: {
        const value = text();
        strings.push(value);
        return value;
      }
      case TAG.knownString:
        return known(strings, 'string');
      case TAG.longString:
        return text();
      case TAG.bytes:
        return remember(raw());
      case TAG.array:
        return array(remember([]), depth);
      case TAG.map:
        return map(remember(new Map()), depth);
      case TAG.set:
        return set(remember(new Set()), depth);
      case TAG.newShape: {
        const names = Array.from({ length: length() }, text);
        if (names.includes('__proto__')) throw unreadable('a field has a name that no event has');
        shapes.push(names);
        return fields(names, depth);
      }
      case TAG.knownShape:
        return fields(known(shapes, 'shape'), depth);
      case TAG.same:
        return known(seen, 'value');
      default:
        throw unreadable('it has a kind of value that does not exist');
    }
  }

  function array(into: unknown[], depth: number): unknown[] {
    const size = length();
    for (let i = 0; i < size; i++) into.push(any(depth + 1));
    return into;
  }

  function set(into: Set<unknown>, depth: number): Set<unknown> {
    const size = length();
    for (let i = 0; i < size; i++) into.add(any(depth + 1));
    return into;
  }

  function map(into: Map<unknown, unknown>, depth: number): Map<unknown, unknown> {
    const size = length();
    for (let i = 0; i < size; i++) {
      const key = any(depth + 1);
      into.set(key, any(depth + 1));
    }
    return into;
  }

  function fields(names: readonly string[], depth: number): object {
    const value: Record<string, unknown> = remember({});
    for (const name of names) value[name] = any(depth + 1);
    return value;
  }

  return {
    open(next) {
      bytes = concatBytes(next);
      view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      at = 0;
    },
    read({ identity = false } = {}) {
      seen = identity ? [] : undefined;
      const value = any(0);
      seen = undefined;
      return value;
    },
    readFloat,
    readWord() {
      need(4);
      at += 4;
      return view.getUint32(at - 4, true);
    },
    get left() {
      return bytes.length - at;
    },
  };
}

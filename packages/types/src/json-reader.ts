import { fromHex } from '@slipstream/primitives';
import { parseAmount } from './actions/json.ts';

export type Json = { readonly [key: string]: unknown };

/** Reads an operator's JSON file and collects all faults. */
export class JsonReader {
  readonly faults: string[] = [];

  private read<T>(path: string, fallback: T, parse: () => T): T {
    try {
      return parse();
    } catch (error) {
      this.faults.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }

  object(value: unknown, path: string): Json {
    return this.read<Json>(path, {}, () => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new RangeError('must be an object');
      return value as Json;
    });
  }

  list(value: unknown, path: string, lengthMax: number, length?: number): readonly unknown[] {
    return this.read<readonly unknown[]>(path, [], () => {
      if (!Array.isArray(value)) throw new RangeError('must be a list');
      if (length !== undefined && value.length !== length) throw new RangeError(`must have ${length} entries`);
      if (value.length > lengthMax)
        throw new RangeError(`has ${value.length} entries, at most ${lengthMax} are allowed`);
      return value;
    });
  }

  text(value: unknown, path: string): string {
    return this.read(path, '', () => {
      if (typeof value !== 'string') throw new RangeError('must be a string');
      return value;
    });
  }

  matching(value: unknown, path: string, { match, is }: { readonly match: RegExp; readonly is: string }): string {
    return this.read(path, '', () => {
      if (typeof value !== 'string' || !match.test(value)) throw new RangeError(`must be ${is}`);
      return value;
    });
  }

  bytes(value: unknown, path: string, length: number): Uint8Array {
    return this.read(path, new Uint8Array(length), () => {
      if (typeof value !== 'string' || !value.startsWith('0x')) throw new RangeError('must be a 0x string');
      const bytes = fromHex(value);
      if (bytes.length !== length) throw new RangeError(`must have ${length} bytes, has ${bytes.length}`);
      return bytes;
    });
  }

  integer(value: unknown, path: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
    return this.read(path, min, () => {
      const number = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < min || number > max) {
        throw new RangeError(`must be an integer from ${min} to ${max}`);
      }
      return number;
    });
  }

  amount(value: unknown, path: string): bigint {
    return this.read(path, 0n, () => parseAmount(this.text(value, path)));
  }

  parse<T>(path: string, fallback: T, parse: () => T): T {
    return this.read(path, fallback, parse);
  }
}

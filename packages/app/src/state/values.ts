/**
 * Values of tables begin with the version of the table that wrote them, one byte. A value of an earlier version is converted as it is
 * read, and written in the current form by the next `set`: no block pays for all values.
 */
import { badBytes, badDefinition } from '../forms/errors.ts';
import { decode, encodeInto, type Form } from '../forms/form.ts';

const VERSION_BYTES = 1;
const VERSION_MAX = 255;

/** By version: the form that values had, and how one becomes a value of today. */
type Earlier<T, O> = { readonly [V in keyof O]: readonly [form: Form<O[V]>, convert: (old: O[V]) => T] };

export interface VersionOptions<T, O> {
  /** 1 where it is missing. Raised with each change of the form. */
  readonly version?: number;
  readonly from?: Earlier<T, O>;
}

export interface ValueCodec<T> {
  readonly version: number;
  readonly form: Form<T>;
  readonly earlier: readonly { readonly version: number; readonly form: Form<unknown> }[];
  /** With the version. */
  sizeOf(value: T): number;
  /** Into the first `size` bytes, which have anything in them. */
  write(bytes: Uint8Array, value: T, size: number): void;
  /** The first `length` bytes. */
  decode(bytes: Uint8Array, length: number): T;
}

interface Conversion<T> {
  readonly version: number;
  readonly form: Form<unknown>;
  readonly convert: (old: unknown) => T;
}

export function valueCodec<T, O>(form: Form<T>, { version = 1, from }: VersionOptions<T, O>): ValueCodec<T> {
  const earlier = conversionsOf(from);
  checkVersions(version, earlier);
  return {
    version,
    form,
    earlier,
    sizeOf: (value) => VERSION_BYTES + (form.fixedBytes ?? form.sizeOf(value)),
    write(bytes, value, size) {
      bytes[0] = version;
      encodeInto(form, value, bytes, VERSION_BYTES, size - VERSION_BYTES);
    },
    decode(bytes, length) {
      const written = length === 0 ? undefined : bytes[0];
      if (written === version) return decode(form, bytes, VERSION_BYTES, length);
      const conversion = earlier.find((each) => each.version === written);
      if (conversion === undefined) throw badBytes(`a value of version ${written}, which the table does not know`);
      return conversion.convert(decode(conversion.form, bytes, VERSION_BYTES, length));
    },
  };
}

/** @returns version and bytes behind it */
export function splitVersion(bytes: Uint8Array): { readonly version: number; readonly start: number } {
  const version = bytes[0];
  if (version === undefined) throw badBytes('a value without a version');
  return { version, start: VERSION_BYTES };
}

function conversionsOf<T, O>(from: Earlier<T, O> | undefined): readonly Conversion<T>[] {
  return Object.entries(from ?? {}).map(([version, entry]) => {
    const [form, convert] = entry as readonly [Form<unknown>, (old: unknown) => T];
    return { version: Number(version), form, convert };
  });
}

function checkVersions(version: number, earlier: readonly { readonly version: number }[]): void {
  if (!Number.isInteger(version) || version < 1 || version > VERSION_MAX)
    throw badDefinition(`a table's version is 1 to ${VERSION_MAX}`);
  for (const old of earlier) {
    if (Number.isInteger(old.version) && old.version >= 1 && old.version < version) continue;
    throw badDefinition(
      `"from" has version ${old.version}; the table has version ${version}, earlier ones are below it`,
    );
  }
}

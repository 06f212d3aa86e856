/** Options of commands: name, placeholder, meaning, and a parser to a typed value. */

export interface Option<T> {
  /** The value's name in help; undefined for a flag. */
  readonly placeholder: string | undefined;
  readonly about: string;
  readonly required: boolean;
  /** `text` is undefined when the option was not given. Throws RangeError with the expected form. */
  parse(text: string | undefined): T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
export type OptionValues<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never };

export function flag(about: string): Option<boolean> {
  return { placeholder: undefined, about, required: false, parse: (text) => text !== undefined };
}

export function text(placeholder: string, about: string): Option<string | undefined> {
  return { placeholder, about, required: false, parse: (given) => given };
}

export function textOr<T extends string>(fallback: T, placeholder: string, about: string): Option<string> {
  return { placeholder, about: `${about} Default: ${fallback}.`, required: false, parse: (given) => given ?? fallback };
}

export function required(placeholder: string, about: string): Option<string> {
  return {
    placeholder,
    about,
    required: true,
    parse(given) {
      if (given === undefined) throw new RangeError('is needed');
      return given;
    },
  };
}

export function choice<const T extends readonly string[]>(choices: T, fallback: T[number], about: string) {
  const option: Option<T[number]> = {
    placeholder: choices.join('|'),
    about: `${about} Default: ${fallback}.`,
    required: false,
    parse(given) {
      const found = choices.find((known) => known === (given ?? fallback));
      if (found === undefined) throw new RangeError(`must be ${choices.join(' or ')}, not "${given}"`);
      return found;
    },
  };
  return option;
}

export function count<F extends number | undefined>(
  fallback: F,
  [min, max]: readonly [number, number],
  placeholder: string,
  about: string,
): Option<number | F> {
  return {
    placeholder,
    about: fallback === undefined ? about : `${about} Default: ${fallback}.`,
    required: false,
    parse(given) {
      if (given === undefined) return fallback;
      const value = /^[0-9]{1,15}$/.test(given) ? Number(given) : Number.NaN;
      if (!(value >= min && value <= max)) {
        throw new RangeError(`must be a whole number from ${min} to ${max}, not "${given}"`);
      }
      return value;
    },
  };
}

export function counts(placeholder: string, [min, max]: readonly [number, number], about: string) {
  const option: Option<readonly number[] | undefined> = {
    placeholder,
    about,
    required: false,
    parse(given) {
      const values = given?.split(',').map((part) => (/^[0-9]{1,9}$/.test(part) ? Number(part) : Number.NaN));
      if (values?.some((value) => !(value >= min && value <= max))) {
        throw new RangeError(`must be numbers from ${min} to ${max}, separated by commas, not "${given}"`);
      }
      return values;
    },
  };
  return option;
}

export function amount<F extends bigint | undefined>(
  fallback: F,
  about: string,
  options: { readonly required?: boolean } = {},
): Option<bigint | F> {
  return {
    placeholder: 'AMOUNT',
    about,
    required: options.required ?? false,
    parse(given) {
      if (given === undefined && options.required) throw new RangeError('is needed');
      if (given === undefined) return fallback;
      if (!/^[0-9]{1,20}$/.test(given) || BigInt(given) >= 2n ** 64n) {
        throw new RangeError(`must be a whole number below 2^64, not "${given}"`);
      }
      return BigInt(given);
    },
  };
}

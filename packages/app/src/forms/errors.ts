/** Errors of forms. */

export type FormErrorCode =
  /** A form, table or application is defined with what it may not have. */
  | 'bad-definition'
  /** A value is not of its form. */
  | 'bad-value'
  /** Bytes are not the encoding of a value. */
  | 'bad-bytes'
  /** JSON does not describe a value. */
  | 'bad-json';

export class FormError extends Error {
  override readonly name = 'FormError';
  readonly code: FormErrorCode;
  /** Where in the JSON, such as "input.holders[3].value"; empty for other codes. */
  readonly path: string;

  constructor(code: FormErrorCode, message: string, path = '') {
    super(path === '' ? message : `${path}: ${message}`);
    this.code = code;
    this.path = path;
  }
}

export function badDefinition(message: string): FormError {
  return new FormError('bad-definition', message);
}

/** @param expected such as "an integer from 0 to 255" */
export function badValue(value: unknown, expected: string): FormError {
  return new FormError('bad-value', `${shown(value)} is not ${expected}`);
}

export function badBytes(message: string): FormError {
  return new FormError('bad-bytes', message);
}

export function badJson(json: unknown, expected: string, path: string): FormError {
  return new FormError('bad-json', `expected ${expected}, found ${shown(json)}`, path);
}

const SHOWN_CHARACTERS_MAX = 40;

/** In bounded time: the digits of a long bigint cost more than linear time. */
function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return `"${value.slice(0, SHOWN_CHARACTERS_MAX)}"`;
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** The application's own refusals. Every other exception is a fault of the application. */
import { badValue } from '../forms/errors.ts';
import { isCode } from '../forms/names.ts';

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/**
 * Ends the action, query or genesis. What it wrote and emitted is undone, and the receipt has the code.
 *
 * @param code 1 to 64 characters of a-z, 0-9 and "-", such as "insufficient-balance"
 */
export function fail(code: string): never {
  if (!isCode(code)) throw badValue(code, 'a code of 1 to 64 characters of a-z, 0-9 and "-"');
  throw new Failure(code);
}

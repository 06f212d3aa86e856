import { ThreadError } from './errors.ts';

/** For values that this program encoded: a failure is a defect. Throws ThreadError `failed`. */
export function decodeOwn<T>(
  decoded:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly message: string } },
): T {
  if (decoded.ok) return decoded.value;
  throw new ThreadError('failed', `another thread sent what does not decode: ${decoded.error.message}`);
}

/** Checks items of `sessions.follow`. */

export const FOLLOWED_MAX = 64;

/** Throws RangeError with the expected form. */
export function checkFollowed(text: string): void {
  const parsed = URL.parse(text);
  if (parsed && (parsed.username !== '' || parsed.password !== '')) {
    throw new RangeError('must have URLs without user and password: they are in the log, alerts and the status');
  }
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.search === '' && parsed.hash === '') return;
  throw new RangeError(`must have URLs such as https://node.example.org:8080, not "${text}"`);
}

/** Items of `api.allowHosts` and `api.allowOrigins`: one that no browser ever sends would let nobody in, and say nothing. */

const HOST = /^(?:[0-9a-z_](?:[0-9a-z_.-]{0,252})|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/** A name as in a Host header. Throws RangeError with what it should be. */
export function checkAllowedHost(text: string): void {
  if (HOST.test(text)) return;
  throw new RangeError(`must have names such as node.example.org, without scheme and path, not "${text}"`);
}

/** As in an Origin header. Throws RangeError with what it should be. */
export function checkAllowedOrigin(text: string): void {
  const wanted = text.toLowerCase().replace(/\/$/, '');
  const parsed = URL.parse(wanted);
  // Of other schemes than those of the web, as extensions have, URL tells no origin.
  const origin = parsed?.origin === 'null' ? `${parsed.protocol}//${parsed.host}` : parsed?.origin;
  if (origin === wanted && parsed?.host !== '') return;
  const example = origin !== undefined && parsed?.host ? origin : 'https://console.example.org';
  throw new RangeError(`must have origins as browsers send them, such as ${example}, not "${text}"`);
}

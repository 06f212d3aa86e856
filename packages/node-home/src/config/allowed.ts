/** Checks items of `api.allowHosts` and `api.allowOrigins`: one that no browser sends would refuse every client silently. */

const HOST = /^(?:[0-9a-z_](?:[0-9a-z_.-]{0,252})|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/** The name is as in a Host header. Throws RangeError with the expected form. */
export function checkAllowedHost(text: string): void {
  if (HOST.test(text)) return;
  throw new RangeError(`must have names such as node.example.org, without scheme and path, not "${text}"`);
}

/** The origin is as in an Origin header. Throws RangeError with the expected form. */
export function checkAllowedOrigin(text: string): void {
  const wanted = text.toLowerCase().replace(/\/$/, '');
  const parsed = URL.parse(wanted);
  // URL gives the origin 'null' for schemes such as those of extensions.
  const origin = parsed?.origin === 'null' ? `${parsed.protocol}//${parsed.host}` : parsed?.origin;
  if (origin === wanted && parsed?.host !== '') return;
  const example = origin !== undefined && parsed?.host ? origin : 'https://console.example.org';
  throw new RangeError(`must have origins as browsers send them, such as ${example}, not "${text}"`);
}

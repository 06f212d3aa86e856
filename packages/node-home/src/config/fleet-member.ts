/** An item of `fleet.nodes`: display name and URL of the API. */
import { FLEET_NAME_PATTERN } from '@slipstream/schema';

export interface FleetMember {
  readonly name: string;
  readonly url: string;
}

/** Each costs one connection and an event per second. */
export const FLEET_NODES_MAX = 32;

const NAME = new RegExp(FLEET_NAME_PATTERN);
const PROTOCOLS: ReadonlySet<string | undefined> = new Set(['http:', 'https:']);

/** "<name>=<url>". Throws RangeError with the expected form. */
export function parseFleetMember(text: string): FleetMember {
  const at = text.indexOf('=');
  const [name, url] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  const parsed = URL.parse(url);
  if (parsed && (parsed.username !== '' || parsed.password !== '')) {
    throw new RangeError(
      'must have URLs without user and password: the whole URL is shown to every reader of the fleet',
    );
  }
  if (!NAME.test(name) || !PROTOCOLS.has(parsed?.protocol)) {
    throw new RangeError(`must be "<name>=<url>", such as validator-1=http://127.0.0.1:8081, not "${text}"`);
  }
  return { name, url };
}

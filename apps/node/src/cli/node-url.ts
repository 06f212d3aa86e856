import { type Client, createClient, type EpochCommittees } from '@slipstream/client';
import { inFolder, type Terminal, text } from '@slipstream/command-line';
import { NodeError } from '../errors.ts';
import { configOf } from './places.ts';

const URL_DEFAULT = 'http://127.0.0.1:8080';
const URL_VARIABLE = 'SLIPSTREAM_URL';
/** Listening hosts that are reached on loopback. */
const ALL_INTERFACES: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export const urlOption = text('URL', `The node's interface. Default: ${URL_VARIABLE}, or ${URL_DEFAULT}.`);

/** `chain`: committees of the genesis file, for proven reads. */
export function clientFor(
  url: string | undefined,
  terminal: Terminal,
  { token, chain }: { readonly token?: string | undefined; readonly chain?: EpochCommittees | undefined } = {},
): Client {
  return createClient({
    url: url ?? terminal.environment[URL_VARIABLE] ?? URL_DEFAULT,
    ...(token !== undefined && { token }),
    ...(chain !== undefined && { chain }),
  });
}

/** Takes the URL from --url, else from SLIPSTREAM_URL, else from the folder's configuration. */
export async function clientOf(
  { url, home }: { readonly url: string | undefined; readonly home: string | undefined },
  terminal: Terminal,
  token?: string,
): Promise<Client> {
  const isNamed = url !== undefined || terminal.environment[URL_VARIABLE] !== undefined || home === undefined;
  return clientFor(isNamed ? url : await urlOfFolder(inFolder(terminal, home), terminal), terminal, { token });
}

/** Throws NodeError `usage` when it has no address to reach. */
export async function urlOfFolder(home: string, terminal: Terminal): Promise<string> {
  const { 'api.enabled': enabled, 'api.host': host, 'api.port': port } = await configOf(home, terminal);
  if (!enabled) throw new NodeError('usage', `the node of ${home} serves no interface: api.enabled is false`, { home });
  if (port === 0) {
    const message = `the node of ${home} takes any free port (api.port is 0): name it with --url, as it said when it started`;
    throw new NodeError('usage', message, { home });
  }
  const name = ALL_INTERFACES.has(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

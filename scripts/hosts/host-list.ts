/**
 * A list of machines: a line each, `[USER@]HOST[:PORT] [ADDRESS]`. ADDRESS is where nodes and clients reach it, HOST by default. Text after #
 * is a comment.
 */
import { fail, ok, type Result } from '@slipstream/primitives';

export interface Host {
  /** What ssh gets: USER@HOST or HOST. */
  readonly destination: string;
  /** Of its SSH server. */
  readonly port: number;
  /** A name or an address. */
  readonly address: string;
}

const HOSTS_MAX = 1_000;
const SSH_PORT = 22;
/** No leading hyphen: ssh would take it as an option. */
const DESTINATION = /^(?:[a-z_][a-z0-9_.-]*@)?([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)$/;
const ADDRESS = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** The error names each wrong line. */
export function readHosts(text: string): Result<readonly Host[], string> {
  const hosts: Host[] = [];
  const faults: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    const words = line.replace(/#.*/, '').trim().split(/\s+/);
    if (words[0] === '') continue;
    const host = readHost(words);
    if (host === undefined) faults.push(`line ${at + 1} is not [USER@]HOST[:PORT] [ADDRESS]: ${line.trim()}`);
    else hosts.push(host);
  }
  if (faults.length > 0) return fail(faults.join('\n'));
  if (hosts.length === 0) return fail('it names no host');
  if (hosts.length > HOSTS_MAX) return fail(`it names ${hosts.length} hosts; at most ${HOSTS_MAX}`);
  return ok(hosts);
}

function readHost([first = '', address, ...more]: readonly string[]): Host | undefined {
  const [destination = '', port = String(SSH_PORT), ...rest] = first.split(':');
  const name = DESTINATION.exec(destination)?.[1];
  const isPort = /^[1-9][0-9]{0,4}$/.test(port) && Number(port) < 65_536;
  if (name === undefined || !isPort || rest.length + more.length > 0) return undefined;
  if (address !== undefined && !ADDRESS.test(address)) return undefined;
  return { destination, port: Number(port), address: address ?? name };
}

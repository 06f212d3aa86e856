import { connect, createServer } from 'node:net';
import type { Config } from '@slipstream/node-home';
import { type Finding, fault, ok, warning } from './finding.ts';

const CONNECT_MS_MAX = 3000;

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `running`: a process has the ledger's lock. `answers`: whether the API's address does as this node, which holds no lock while it exchanges its parts. */
export async function checkPorts(
  config: Config,
  running: boolean,
  answers: () => Promise<boolean>,
): Promise<readonly Finding[]> {
  const ports: readonly (readonly [string, string, Address])[] = [
    ['network port', 'network.listen', addressOf(config['network.listen'])],
    ...(config['api.enabled']
      ? [['API port', 'api.port', { host: config['api.host'], port: config['api.port'] }] as const]
      : []),
  ];
  return await Promise.all(ports.map(([check, key, address]) => checkPort(check, key, address, { running, answers })));
}

interface OwnNode {
  readonly running: boolean;
  readonly answers: () => Promise<boolean>;
}

async function checkPort(check: string, key: string, address: Address, node: OwnNode): Promise<Finding> {
  const { running, answers } = node;
  const where = `${address.host}:${address.port}`;
  const refused = await listenOnce(address);
  if (refused === undefined) return running ? notListening(check, where) : ok(check, `${where} is free`);
  if (refused !== 'EADDRINUSE')
    return fault(check, `${where}: ${refused}`, `Set ${key} to an address of this machine.`);
  if (running || (await answers())) return ok(check, `${where} is in use by the node of this folder`);
  return fault(check, `${where} is in use by another program`, `Stop it, or set ${key} to another port.`);
}

function notListening(check: string, where: string): Finding {
  const remedy = 'The node was started with another port (flag or environment), or is still starting.';
  return warning(check, `a node runs on this folder and does not listen on ${where}`, remedy);
}

export async function checkPeers(config: Config): Promise<readonly Finding[]> {
  const entries = config['network.peers'];
  if (entries.length === 0) {
    return [ok('peers', 'none configured: expected for a chain of one validator, and for a node that others dial')];
  }
  const reached = await Promise.all(entries.map((entry) => reach(addressOf(entry.slice(entry.indexOf('@') + 1)))));
  const unreachable = entries.filter((_, at) => reached[at] !== undefined);
  const found = `${entries.length - unreachable.length} of ${entries.length} configured peers accept connections`;
  if (unreachable.length === 0) return [ok('peers', found)];
  const named = entries
    .map((entry, at) => `${entry.slice(0, 8)}...@${entry.slice(entry.indexOf('@') + 1)} (${reached[at]})`)
    .filter((_, at) => reached[at] !== undefined)
    .slice(0, 10)
    .join(', ');
  const remedy = 'Those nodes are down (as before a first start), their address is wrong, or a firewall blocks them.';
  return [warning('peers', `${found}; not: ${named}`, remedy)];
}

export function checkPlaces(config: Config): Finding {
  const [places, reserved] = [config['network.fullNodes'], config['network.reserved'].length];
  const found = `${places} slots for full nodes; reserved keys: ${reserved}`;
  if (places === 0 || reserved > 0) return ok('full nodes', found);
  const remedy = 'Unknown nodes can take all of them: list the full nodes that you rely on in network.reserved.';
  return warning('full nodes', found, remedy);
}

function addressOf(text: string): Address {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
}

/** The system's error code; undefined on success. */
function listenOnce({ host, port }: Address): Promise<string | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)));
  });
}

function reach({ host, port }: Address): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect({ host, port });
    const end = (why: string | undefined) => {
      socket.destroy();
      done(why);
    };
    socket.setTimeout(CONNECT_MS_MAX, () => end(`no answer within ${CONNECT_MS_MAX / 1000} s`));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

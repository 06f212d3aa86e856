/**
 * The number of this container within its service.
 *
 * Compose numbers the containers of a service, but does not pass the number to them. The network's name server answers a reverse
 * query for a container's address with the container's name:
 *
 *   172.18.0.3 --PTR--> shop-validator-2.shop_committee --> { prefix: "shop-", separator: "-", number: 2 }
 *
 * The names of the other containers follow from it, for any project name and separator (compose version 2 uses "-", version 1 "_").
 */
import { Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';

export interface ContainerName {
  readonly project: string;
  readonly separator: '-' | '_';
  /** From 1. */
  readonly number: number;
}

const QUERY_MS = 1_000;
const QUERIES = 3;

/** Undefined when the name is not of the service. */
export function parseContainerName(name: string, service: string): ContainerName | undefined {
  const [container = ''] = name.split('.');
  for (const separator of ['-', '_'] as const) {
    const middle = `${separator}${service}${separator}`;
    const at = container.lastIndexOf(middle);
    const number = container.slice(at + middle.length);
    if (at > 0 && /^[1-9][0-9]{0,3}$/.test(number))
      return { project: container.slice(0, at), separator, number: Number(number) };
  }
  return undefined;
}

export function containerNameOf(service: string, { project, separator }: ContainerName, number: number): string {
  return [project, service, number].join(separator);
}

/** Throws when the network's name server does not know the name: then the engine did not create the network. */
export async function ownContainerName(service: string): Promise<ContainerName> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: QUERIES });
  const addresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  const answers = await Promise.all(addresses.map((address) => namesOf(resolver, address)));
  const names = answers.flat();
  const found = names.map((name) => parseContainerName(name, service)).find((name) => name !== undefined);
  if (found !== undefined) return found;
  throw new Error(
    `this container cannot find its number in the service "${service}": ` +
      `the name server of its network knows ${addresses.join(', ') || 'no address'} as ${names.join(', ') || 'nothing'}. ` +
      'Run it with docker-compose.yml, without container_name and outside the default bridge.',
  );
}

/** Queries the name server, because `reverse` would find the host's own line in /etc/hosts first. */
async function namesOf(resolver: Resolver, address: string): Promise<readonly string[]> {
  const query = `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  return await resolver.resolvePtr(query).catch(() => []);
}

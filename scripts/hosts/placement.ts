/** Which node runs on which host, on which ports, with which flags. */
import type { NodeFolder } from '@slipstream/devnet';
import type { Host } from './host-list.ts';

export interface PlacedNode {
  readonly name: string;
  /** Here: the home that `up` copies. */
  readonly home: string;
  readonly host: Host;
  readonly url: string;
  /** Of `slipstream node`. */
  readonly flags: readonly string[];
}

export interface PortRange {
  /** The first node of a host listens to peers here, the second one above, and so on. */
  readonly networkPort: number;
  readonly apiPort: number;
}

/** Nodes go to hosts in turn, so that no host has two validators while another has none. */
export function placeNodes(
  nodes: readonly NodeFolder[],
  hosts: readonly Host[],
  { networkPort, apiPort }: PortRange,
): readonly PlacedNode[] {
  const counts = new Map<string, number>();
  const placed = nodes.map((node, at) => {
    const host = hosts[at % hosts.length] as Host;
    // Two lines of the list may lead to one machine.
    const offset = counts.get(host.address) ?? 0;
    counts.set(host.address, offset + 1);
    return { node, host, networkPort: networkPort + offset, apiPort: apiPort + offset };
  });
  const dialled = placed.filter(({ node }) => node.validator !== undefined);
  return placed.map(({ node, host, ...ports }) => {
    const peers = dialled
      .filter((each) => each.node.name !== node.name)
      .map((each) => `${each.node.peerKey}@${each.host.address}:${each.networkPort}`);
    const isName = /[A-Za-z]/.test(host.address);
    return {
      name: node.name,
      home: node.home,
      host,
      url: `http://${host.address}:${ports.apiPort}`,
      flags: [
        ...['--network-listen', `0.0.0.0:${ports.networkPort}`, '--api-host', '0.0.0.0'],
        ...['--api-port', String(ports.apiPort), '--network-peers', peers.join(',')],
        ...(isName ? ['--api-allow-hosts', host.address] : []),
      ],
    };
  });
}

/**
 * A proxy for each directed pair of processes.
 *
 *   node A --dials--> proxy(A, B) --> node B        bytes from A to B have the link conditions of (A, B),
 *                                                   bytes from B to A those of (B, A)
 *
 * Either node dials a pair's connection, so the sender determines the direction.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { CLEAR, type Direction, forward, type LinkConditions } from './link.ts';

export interface End {
  readonly name: string;
  readonly port: number;
}

export interface Fabric {
  /** Where `from` dials `to`. */
  portOf(from: string, to: string): number;
  set(from: string, to: string, conditions: LinkConditions): void;
  heal(): void;
  /** Closes their connections; the two nodes dial again. */
  reset(a: string, b: string): void;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';

interface Open {
  readonly pair: string;
  readonly sockets: readonly Socket[];
  readonly directions: readonly Direction[];
}

const linkName = (from: string, to: string) => `${from} > ${to}`;
const pairName = (a: string, b: string) => [a, b].toSorted().join(' - ');

export async function createFabric(dialling: readonly string[], listening: readonly End[]): Promise<Fabric> {
  const byLink = new Map<string, LinkConditions>();
  const open = new Set<Open>();
  const proxies = new Map<string, Server>();

  function carry(from: string, to: End, inbound: Socket): void {
    const outbound = connect(to.port, HOST);
    const directions = [
      forward(inbound, outbound, () => byLink.get(linkName(from, to.name)) ?? CLEAR),
      forward(outbound, inbound, () => byLink.get(linkName(to.name, from)) ?? CLEAR),
    ];
    const entry = { pair: pairName(from, to.name), sockets: [inbound, outbound], directions };
    open.add(entry);
    for (const socket of entry.sockets) {
      socket.setNoDelay(true);
      socket.on('error', () => close(entry));
      socket.on('close', () => close(entry));
    }
  }

  function close(entry: Open): void {
    if (!open.delete(entry)) return;
    for (const direction of entry.directions) direction.stop();
    for (const socket of entry.sockets) socket.destroy();
  }

  function changed(): void {
    for (const { directions } of open) for (const direction of directions) direction.changed();
  }

  for (const from of dialling) {
    for (const to of listening) {
      if (to.name === from) continue;
      const proxy = createServer((inbound) => carry(from, to, inbound));
      await new Promise<void>((resolve, reject) => {
        proxy.once('error', reject);
        proxy.listen(0, HOST, resolve);
      });
      proxies.set(linkName(from, to.name), proxy);
    }
  }

  return {
    portOf(from, to) {
      const proxy = proxies.get(linkName(from, to));
      if (proxy === undefined) throw new Error(`there is no link from ${from} to ${to}`);
      return (proxy.address() as AddressInfo).port;
    },
    set(from, to, conditions) {
      byLink.set(linkName(from, to), conditions);
      changed();
    },
    heal() {
      byLink.clear();
      changed();
    },
    reset(a, b) {
      for (const entry of [...open]) if (entry.pair === pairName(a, b)) close(entry);
    },
    async stop() {
      for (const entry of [...open]) close(entry);
      await Promise.all([...proxies.values()].map((proxy) => new Promise((done) => proxy.close(done))));
    },
  };
}

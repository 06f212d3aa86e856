/**
 * Epochs as the nodes report them: their records, and the epoch of each node.
 *
 * A record is immutable, so the first node that gives it speaks for all; final checks compare the chains.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, ClusterNode } from '@slipstream/devnet';
import type { PeerAddress } from '@slipstream/network';
import type { PeerKey } from '@slipstream/ports';
import type { EpochRecordJson } from '@slipstream/schema';

export interface EpochWatch {
  has(epoch: number): boolean;
  /** Name of the node; undefined: no member. */
  memberOf(epoch: number, index: number): string | undefined;
  /** Whether the member uses this network key in the epoch. */
  isPeerOf(epoch: number, index: number, peer: PeerKey): boolean;
  /** Members of all records, under each of their network keys. */
  peers(): readonly PeerAddress[];
  /** Of the highest epoch that a node is in. */
  current(): EpochRecordJson;
  /** Sealed, or current. */
  newest(): EpochRecordJson;
  /** Names of the members of the current record. */
  validators(): readonly string[];
  /** Epoch of each node when it last answered. */
  seen(): ReadonlyMap<string, number>;
  onRecord(listener: () => void): void;
  /** Asks every node that runs. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

const POLL_MS = 100;
const TIMEOUT_MS = 1_000;

/** Throws when no node gives the record of its epoch. */
export async function watchEpochs({ nodes }: Pick<Cluster, 'nodes'>): Promise<EpochWatch> {
  const records: EpochRecordJson[] = [];
  const seen = new Map<string, number>();
  const listeners: (() => void)[] = [];
  let isOver = false;

  async function ask({ name, client, process }: ClusterNode): Promise<void> {
    if (!process.running) return;
    const answer = await client.call('epochs', { query: { limit: 2 }, timeoutMs: TIMEOUT_MS });
    for (let next = records.length; next <= (answer.items[0]?.epoch ?? 0); next++) {
      const record = await client.call('epoch', { params: { epoch: String(next) }, timeoutMs: TIMEOUT_MS });
      if (next !== records.length) break; // another node was faster
      records.push(record);
      for (const listener of listeners) listener();
    }
    seen.set(name, answer.current.epoch);
  }

  async function refresh(): Promise<void> {
    await Promise.allSettled(nodes.map(ask));
  }

  async function poll(): Promise<void> {
    for (; !isOver; await sleep(POLL_MS)) await refresh();
  }

  const at = (epoch: number) => {
    const record = records[epoch];
    if (record === undefined) throw new Error(`no node gave the record of epoch ${epoch}`);
    return record;
  };
  const current = () => at(Math.max(0, ...seen.values()));

  await refresh();
  current();
  const polling = poll();
  return {
    ...membersOf(records, nodes),
    current,
    newest: () => at(records.length - 1),
    validators() {
      const names = new Map(nodes.map(({ networkPort, name }) => [networkPort, name]));
      return current().members.flatMap(({ address }) => names.get(portOf(address)) ?? []);
    },
    seen: () => seen,
    onRecord: (listener) => void listeners.push(listener),
    refresh,
    async stop() {
      isOver = true;
      await polling;
    },
  };
}

type Members = Pick<EpochWatch, 'has' | 'memberOf' | 'isPeerOf' | 'peers'>;

function membersOf(records: readonly EpochRecordJson[], nodes: Cluster['nodes']): Members {
  const names = new Map(nodes.map(({ networkPort, name }) => [networkPort, name]));
  const member = (epoch: number, index: number) => records[epoch]?.members[index];
  return {
    has: (epoch) => records[epoch] !== undefined,
    memberOf(epoch, index) {
      const found = member(epoch, index);
      return found && names.get(portOf(found.address));
    },
    isPeerOf(epoch, index, peer) {
      const found = member(epoch, index);
      return found !== undefined && [found.peer, found.previousPeer].includes(`0x${peer}`);
    },
    peers() {
      const addresses = new Map<PeerKey, string>();
      for (const { peer, address } of records.flatMap(({ members }) => members)) {
        addresses.set(peer.slice(2) as PeerKey, `127.0.0.1:${portOf(address)}`);
      }
      return [...addresses].map(([peer, address]) => ({ peer, address }));
    },
  };
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

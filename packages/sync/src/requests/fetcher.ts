/**
 * Fetcher: asks a few peers at once for what consensus misses; answers become events.
 *
 * Likely holders come first, in a new random order each time: with a fixed one, a few unresponsive members could starve the node. Peers that are
 * no members come last, for a node whose whole committee has left: certificates prove what is fetched. A peer
 * that still owes an answer to the same request is skipped, and one that had no block of a range is not asked for ranges for a while, so that
 * a node whose next block is pruned everywhere does not ask without end.
 */
import type { FetchQuery } from '@slipstream/consensus';
import type { Clock, PeerKey, Random, Transport } from '@slipstream/ports';
import { type Committee, hexOf, isBlocking, type SyncResponse } from '@slipstream/types';
import type { SyncAsk, SyncClient } from './client.ts';

interface FetcherComponents {
  readonly transport: Pick<Transport, 'peers'>;
  readonly random: Random;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly client: Pick<SyncClient, 'ask'>;
  readonly committee: Committee;
  readonly self: number | undefined;
  /** Final heights, by peers' heartbeats. */
  readonly reportedHeights: ReadonlyMap<PeerKey, number>;
}

interface Fetcher {
  fetch(query: FetchQuery, hint: readonly number[]): void;
}

/** A range has megabytes. */
const RANGE_FANOUT = 2;
/** Their weight is zero, so it cannot end a choice. */
const OTHERS_FANOUT = 3;
/** After an empty range; doubled by each. A peer commits a block some milliseconds after it reports its height. */
const EMPTY_PAUSE_MS = 250;
const EMPTY_PAUSE_MS_MAX = 30_000;
/** Above the largest committee. Others come with any number of keys. */
const EMPTY_PEERS_MAX = 2048;

export function createFetcher(
  { transport, random, clock, client, committee, self, reportedHeights }: FetcherComponents,
  onAnswer: (query: FetchQuery, from: PeerKey, response: SyncResponse) => void,
): Fetcher {
  const owed = new Set<string>();
  /** Since the peer's last range with a block. */
  const empty = new Map<PeerKey, { readonly ms: number; readonly untilMs: number }>();
  const weights = new Map(committee.members.map(({ peerKey, weight }) => [peerKey, weight]));

  function mayHaveRange(peer: PeerKey): boolean {
    return (empty.get(peer)?.untilMs ?? 0) <= clock.monotonicMs();
  }

  function rangeAnswered(peer: PeerKey, blocks: number): void {
    if (blocks > 0) {
      empty.delete(peer);
      return;
    }
    const ms = Math.min(2 * (empty.get(peer)?.ms ?? EMPTY_PAUSE_MS / 2), EMPTY_PAUSE_MS_MAX);
    empty.delete(peer);
    const [oldest] = empty.keys();
    if (empty.size >= EMPTY_PEERS_MAX && oldest !== undefined) empty.delete(oldest);
    empty.set(peer, { ms, untilMs: clock.monotonicMs() + ms });
  }

  function shuffled<T>(items: readonly T[]): readonly T[] {
    const order = [...items];
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j] as T, order[i] as T];
    }
    return order;
  }

  function membersInTurn(hint: readonly number[]): readonly PeerKey[] {
    const others = committee.members.map(({ index }) => index).filter((index) => !hint.includes(index));
    const order = [...shuffled(hint), ...shuffled(others)].filter((member) => member !== self);
    return order.flatMap((member) => committee.members[member]?.peerKey ?? []);
  }

  /** That may have it: they reported a height. */
  function othersInTurn(query: FetchQuery, connected: ReadonlySet<PeerKey>): readonly PeerKey[] {
    const lowest = query.type === 'finalized' ? query.from : 0;
    return shuffled([...connected].filter((peer) => !weights.has(peer) && (reportedHeights.get(peer) ?? -1) >= lowest));
  }

  /** More than a third of the weight (f + 1): one honest member at least. */
  function pick(query: FetchQuery, candidates: readonly PeerKey[]): readonly PeerKey[] {
    if (query.type === 'finalized') return candidates.slice(0, RANGE_FANOUT);
    const picked: PeerKey[] = [];
    let [weight, others] = [0, 0];
    for (const peer of candidates) {
      if (isBlocking(weight, committee) || others === OTHERS_FANOUT) break;
      picked.push(peer);
      weight += weights.get(peer) ?? 0;
      if (!weights.has(peer)) others += 1;
    }
    return picked;
  }

  async function request(query: FetchQuery, peer: PeerKey, key: string): Promise<void> {
    owed.add(key);
    const response = await client.ask(peer, askOf(query));
    owed.delete(key);
    if (response && query.type === 'finalized') rangeAnswered(peer, response.blocks.length);
    if (response) onAnswer(query, peer, response);
  }

  return {
    fetch(query, hint) {
      const name = nameOf(query);
      const connected = new Set(transport.peers().flatMap(({ peer, connected: up }) => (up ? [peer] : [])));
      const isRange = query.type === 'finalized';
      const candidates = [...membersInTurn(hint), ...othersInTurn(query, connected)].filter((peer) => {
        if (isRange && !mayHaveRange(peer)) return false;
        return connected.has(peer) && !owed.has(`${name}/${peer}`);
      });
      for (const peer of pick(query, candidates)) void request(query, peer, `${name}/${peer}`);
    },
  };
}

function nameOf(query: FetchQuery): string {
  return query.type === 'block' ? hexOf(query.blockId) : `${query.type}/${query.from}/${query.to}`;
}

function askOf(query: FetchQuery): SyncAsk {
  switch (query.type) {
    case 'block':
      return { query: 'block', id: query.blockId };
    case 'certificates':
      return { query: 'certificates', from: query.from, to: query.to };
    case 'finalized':
      return { query: 'finalized', from: query.from, to: query.to };
  }
}

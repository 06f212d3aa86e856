/**
 * Fetcher: asks a few peers at once for what consensus misses; answers become events.
 *
 * Likely holders come first, in a new random order each time: with a fixed one, a few unresponsive members could starve the node. A peer
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
}

interface Fetcher {
  fetch(query: FetchQuery, hint: readonly number[]): void;
}

/** A range has megabytes. */
const RANGE_FANOUT = 2;
/** After an empty range; doubled by each. A peer commits a block some milliseconds after it reports its height. */
const EMPTY_PAUSE_MS = 250;
const EMPTY_PAUSE_MS_MAX = 30_000;

export function createFetcher(
  { transport, random, clock, client, committee, self }: FetcherComponents,
  onAnswer: (query: FetchQuery, from: PeerKey, response: SyncResponse) => void,
): Fetcher {
  const owed = new Set<string>();
  /** By member: since its last range with a block. */
  const empty = new Map<number, { readonly ms: number; readonly untilMs: number }>();

  function mayHaveRange(member: number): boolean {
    return (empty.get(member)?.untilMs ?? 0) <= clock.monotonicMs();
  }

  function rangeAnswered(member: number, blocks: number): void {
    if (blocks > 0) {
      empty.delete(member);
      return;
    }
    const ms = Math.min(2 * (empty.get(member)?.ms ?? EMPTY_PAUSE_MS / 2), EMPTY_PAUSE_MS_MAX);
    empty.set(member, { ms, untilMs: clock.monotonicMs() + ms });
  }

  function shuffled(members: readonly number[]): readonly number[] {
    const order = [...members];
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [order[i], order[j]] = [order[j] as number, order[i] as number];
    }
    return order;
  }

  /** More than a third of the weight (f + 1): one honest member at least. */
  function pick(query: FetchQuery, candidates: readonly number[]): readonly number[] {
    if (query.type === 'finalized') return candidates.slice(0, RANGE_FANOUT);
    const picked: number[] = [];
    for (let weight = 0, i = 0; i < candidates.length && !isBlocking(weight, committee); i++) {
      const member = candidates[i] as number;
      picked.push(member);
      weight += committee.members[member]?.weight ?? 0;
    }
    return picked;
  }

  async function request(query: FetchQuery, member: number, key: string): Promise<void> {
    const peer = committee.members[member]?.peerKey as PeerKey;
    owed.add(key);
    const response = await client.ask(peer, askOf(query));
    owed.delete(key);
    if (response && query.type === 'finalized') rangeAnswered(member, response.blocks.length);
    if (response) onAnswer(query, peer, response);
  }

  return {
    fetch(query, hint) {
      const name = nameOf(query);
      const connected = new Set(transport.peers().flatMap(({ peer, connected: up }) => (up ? [peer] : [])));
      const others = committee.members.map(({ index }) => index).filter((index) => !hint.includes(index));
      const isRange = query.type === 'finalized';
      const candidates = [...shuffled(hint), ...shuffled(others)].filter((member) => {
        if (isRange && !mayHaveRange(member)) return false;
        const peer = committee.members[member]?.peerKey;
        return member !== self && peer !== undefined && connected.has(peer) && !owed.has(`${name}/${member}`);
      });
      for (const member of pick(query, candidates)) void request(query, member, `${name}/${member}`);
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

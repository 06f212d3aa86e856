/** Fetcher: what the core misses, asked of a few peers at once; answers are events, whoever gives them. */
import type { PeerKey, Random, Transport } from '@slipstream/ports';
import type { Committee, SyncResponse } from '@slipstream/types';
import type { FetchQuery } from './events.ts';
import type { SyncAsk, SyncClient } from './sync-client.ts';

export interface FetcherComponents {
  readonly transport: Pick<Transport, 'peers'>;
  readonly random: Random;
  readonly syncClient: Pick<SyncClient, 'ask'>;
  readonly committee: Committee;
  readonly self: number | undefined;
}

export interface Fetcher {
  /** Hinted members first, then others, as far as they are connected. */
  fetch(query: FetchQuery, hint: readonly number[]): void;
}

/** Peers asked at once for the same thing: f + 1 of a committee of 10, so that one honest peer is among them. */
const FANOUT_MAX = 4;

export function createFetcher(
  { transport, random, syncClient, committee, self }: FetcherComponents,
  onAnswer: (query: FetchQuery, from: PeerKey, response: SyncResponse) => void,
): Fetcher {
  /** Another start each time, so that nobody is asked first for everything. */
  function rotatedMembers(): number[] {
    const others = committee.members.map(({ index }) => index).filter((index) => index !== self);
    const from = others.length > 0 ? random.below(others.length) : 0;
    return [...others.slice(from), ...others.slice(0, from)];
  }

  return {
    fetch(query, hint) {
      const members = [...hint, ...rotatedMembers()].filter((member, at, all) => all.indexOf(member) === at);
      const connected = new Set(transport.peers().flatMap(({ peer, connected: up }) => (up ? [peer] : [])));
      const peers = members
        .map((member) => committee.members[member]?.peerKey as PeerKey)
        .filter((peer) => connected.has(peer));
      for (const peer of peers.slice(0, FANOUT_MAX)) {
        void syncClient.ask(peer, askOf(query)).then((response) => {
          if (response) onAnswer(query, peer, response);
        });
      }
    },
  };
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

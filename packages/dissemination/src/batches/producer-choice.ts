/** Producer choice: which connected member a full node offers a batch to. */
import type { Clock, PeerKey, Transport } from '@slipstream/ports';
import type { Committees } from '../epochs/committees.ts';

interface ProducerChoice {
  /** Connected members of the epoch. */
  all(): readonly PeerKey[];
  /** In turn, so that batches of one broker are in chunks of all; those that rest last. Undefined: none is left. */
  next(tried: ReadonlySet<PeerKey>): PeerKey | undefined;
  rest(producer: PeerKey, ms: number): void;
}

interface ProducerChoiceParts {
  readonly clock: Clock;
  readonly transport: Pick<Transport, 'peers'>;
  readonly committees: Pick<Committees, 'current'>;
}

export function createProducerChoice({ clock, transport, committees }: ProducerChoiceParts): ProducerChoice {
  /** Of connected members. */
  const restingUntilMs = new Map<PeerKey, number>();
  let turn = 0;

  function all(): readonly PeerKey[] {
    const open = new Set(transport.peers().flatMap((each) => (each.connected && !each.blocked ? [each.peer] : [])));
    const { members, peersOf, self } = committees.current;
    return members.flatMap(({ index }) => {
      const peer = index === self ? undefined : peersOf(index).find((each) => open.has(each));
      return peer ?? [];
    });
  }

  return {
    all,
    next(tried) {
      const members = all();
      const turned = members.map((_, i) => members[(turn + i) % members.length] as PeerKey);
      turn++;
      const left = turned.filter((peer) => !tried.has(peer));
      const now = clock.monotonicMs();
      return left.find((peer) => (restingUntilMs.get(peer) ?? 0) <= now) ?? left[0];
    },
    rest(producer, ms) {
      restingUntilMs.set(producer, clock.monotonicMs() + ms);
      const members = new Set(all());
      for (const peer of restingUntilMs.keys()) if (!members.has(peer)) restingUntilMs.delete(peer);
    },
  };
}

/** Open-loop load at a set rate, as in the DFINITY experiment: a slow server gets no fewer requests; excess ones are dropped. */
import { type Claim, claim, printTable } from '../../../scripts/bench/claim.ts';

export interface OfferedLoad<Request> {
  readonly requests: readonly Request[];
  /** Per second. */
  readonly rate: number;
  /** Concurrent; more are dropped. */
  readonly waitingMax: number;
}

interface Outcome {
  readonly served: number;
  readonly dropped: number;
}

/** At equal intervals; those due while this thread was busy come together. */
async function offer<Request>(
  { requests, rate, waitingMax }: OfferedLoad<Request>,
  serve: (request: Request) => Promise<void>,
): Promise<Outcome> {
  const underWay = new Set<Promise<void>>();
  let dropped = 0;
  let next = 0;
  const start = performance.now();
  while (next < requests.length) {
    const due = Math.min(requests.length, Math.ceil(((performance.now() - start) * rate) / 1000));
    for (; next < due; next++) {
      if (underWay.size >= waitingMax) {
        dropped++;
        continue;
      }
      const answer = serve(requests[next] as Request).finally(() => underWay.delete(answer));
      underWay.add(answer);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(underWay);
  return { served: requests.length - dropped, dropped };
}

/** Drops of each server; a failed request fails the bench. */
export async function benchOfferedLoad<Request>(
  load: OfferedLoad<Request>,
  servers: {
    readonly plain: (request: Request) => Promise<void>;
    readonly cached: (request: Request) => Promise<void>;
  },
): Promise<Claim[]> {
  const plain = await offer(load, servers.plain);
  const cached = await offer(load, servers.cached);
  printTable(
    `The same requests offered at ${Math.round(load.rate)} per second, at most ${load.waitingMax} waiting`,
    ['', 'served', 'dropped'],
    [
      ['no cache', plain.served, plain.dropped],
      ['cache', cached.served, cached.dropped],
    ],
  );
  const offered = load.requests.length;
  return [
    claim('dropped_share_no_cache', plain.dropped / offered, 'share', offered),
    claim('dropped_share_cache', cached.dropped / offered, 'share', offered),
  ];
}

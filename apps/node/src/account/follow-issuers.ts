/**
 * Issuers: chains whose sessions this one accepts. Each change of their committees is sent to this chain, as far as its state is behind.
 *
 *   issuer's node --handover, checked--> this node's turn --> advanceIssuer --> state
 */
import type { Clock, Random, Telemetry, Verifier } from '@slipstream/ports';
import { type AdvanceIssuer, hexOf } from '@slipstream/types';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import type { IssuerSource } from './issuer-source.ts';
import { type AdvanceSearch, knownIssuers, nextAdvance } from './next-advance.ts';
import type { NodeAccount } from './node-account.ts';
import { type Place, TURN_MS, turnOf } from './turns.ts';

interface IssuerVitals {
  /** Why an issuer is not followed, one text each. */
  readonly faults: readonly string[];
  /** A change is known and cannot be paid. */
  readonly isUnpaid: boolean;
}

interface IssuerFollower {
  read(): IssuerVitals;
  stop(): void;
}

interface FollowerParts {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly random: Pick<Random, 'below'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly read: ReadStateValues;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
  /** Undefined: nothing is sent. */
  readonly account: NodeAccount | undefined;
  readonly place: () => Place;
  readonly headTimestampMs: () => number;
}

const LOOK_MS = 10_000;
/** For all answers of one node: a slow one must not hold up other issuers. */
const ANSWERS_MS_MAX = 30_000;
/** Parts of it are by the issuer's node, and go to the log and, each second, to alerts and the status. */
const FAULT_CHARACTERS_MAX = 300;
const TOO_SLOW = `its answers take more than ${ANSWERS_MS_MAX / 1_000} s together`;

export function followIssuers(parts: FollowerParts, sources: readonly IssuerSource[]): IssuerFollower {
  const { clock, telemetry } = parts;
  const attempts = createAttempts(clock);
  const advances = createAdvances(parts, attempts);
  const faults = new Map<string, string>();
  const searches = new Map(sources.map(({ url }) => [url, { issuer: '', epoch: 0, from: 0 }]));
  let stopped = false;
  let cancel = () => {};
  let asking = new AbortController();

  async function follow(source: IssuerSource): Promise<void> {
    const { url } = source;
    asking = new AbortController();
    const { signal } = asking;
    const cancelDeadline = clock.after(ANSWERS_MS_MAX, () => asking.abort());
    try {
      advances.missing(
        url,
        await missingFrom(parts, source, searches.get(url) as AdvanceSearch, signal).finally(cancelDeadline),
      );
      await advances.send(url);
      faults.delete(url);
    } catch (error) {
      if (stopped) return;
      advances.failed(url);
      attempts.tried(url);
      const why = signal.aborted ? TOO_SLOW : messageOf(error).slice(0, FAULT_CHARACTERS_MAX);
      if (faults.get(url) !== why) telemetry.log('warn', 'an issuer of sessions is not followed', { url, why });
      faults.set(url, why);
    }
  }

  async function look(): Promise<void> {
    for (const source of sources) if (!stopped && attempts.isDue(source.url)) await follow(source);
    attempts.retain(new Set([...faults.keys(), ...advances.names()]));
  }

  function next(): void {
    if (stopped) return;
    void look().finally(() => {
      cancel = clock.after(LOOK_MS, next);
      if (stopped) cancel();
    });
  }

  if (sources.length > 0) next();
  return {
    read: () => ({ faults: [...faults].map(([url, why]) => `${url}: ${why}`), isUnpaid: advances.isUnpaid() }),
    stop() {
      stopped = true;
      cancel();
      asking.abort();
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function missingFrom(
  { read, verifier, headTimestampMs }: FollowerParts,
  source: IssuerSource,
  search: AdvanceSearch,
  signal: AbortSignal,
): Promise<AdvanceIssuer | undefined> {
  const issuer = await source.genesisHash(signal);
  const { value: known } = await readTogether(read, (entries) => knownIssuers(entries, issuer));
  return nextAdvance(source, issuer, known, search, { verifier, nowMs: headTimestampMs() }, signal);
}

interface Missing {
  readonly action: AdvanceIssuer;
  readonly name: string;
  readonly fromMs: number;
  isUnpaid: boolean;
}

/** What this chain lacks, by the URL that served it. Two nodes of one issuer serve the same, which is sent once. */
function createAdvances({ clock, random, account, place }: FollowerParts, attempts: Attempts) {
  const missing = new Map<string, Missing>();
  return {
    missing(url: string, action: AdvanceIssuer | undefined): void {
      if (action === undefined) return void missing.delete(url);
      const name = `${hexOf(action.issuer)} ${action.handover.certificate.subject.epoch}`;
      if (missing.get(url)?.name === name) return;
      const turns = turnOf(place(), action.issuer[0] as number, random);
      missing.set(url, { action, name, fromMs: clock.monotonicMs() + turns * TURN_MS, isUnpaid: false });
    },
    async send(url: string): Promise<void> {
      const found = missing.get(url);
      if (found === undefined || clock.monotonicMs() < found.fromMs || !attempts.isDue(found.name)) return;
      const sent = await account?.send(found.action);
      found.isUnpaid = sent === undefined || sent === 'poor';
      if (!found.isUnpaid) attempts.tried(found.name);
    },
    /** Another node of the issuer may have led to the payment since: it is no longer known to be missing. */
    failed(url: string): void {
      const found = missing.get(url);
      if (found !== undefined) found.isUnpaid = false;
    },
    names: () => [...missing.values()].map(({ name }) => name),
    isUnpaid: () => [...missing.values()].some(({ isUnpaid }) => isUnpaid),
  };
}

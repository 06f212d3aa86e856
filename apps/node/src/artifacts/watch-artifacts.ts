/**
 * Keeps a node's artifacts as its chain names them: looks every few seconds at the newest record and open proposals, and fetches what is
 * missing from peers, one after another.
 *
 *   state --named--> artifacts --missing--> peers --whole, hash as named--> artifacts: fetched, waits for the operator
 */
import { ARTIFACT_BYTES_MAX } from '@slipstream/app-realm/limits';
import { EPOCH_KEY, type FetchedEntries, readEpoch, readHead, recordHeadKey } from '@slipstream/execution';
import type { Clock, PeerKey, Random, Telemetry, Transport } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { fetchArtifact, type SyncClient } from '@slipstream/sync';
import { bindsNameAlone, NO_RECORD } from '@slipstream/types';
import { proposedUpgrades } from '../epochs/proposed-versions.ts';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import type { NamedArtifact, NodeArtifacts } from './node-artifacts.ts';

interface WatchParts {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  readonly random: Pick<Random, 'below'>;
  readonly telemetry: Pick<Telemetry, 'log' | 'count'>;
  readonly read: ReadStateValues;
  readonly artifacts: Pick<NodeArtifacts, 'name' | 'nameEarlier' | 'missing' | 'fetched'>;
  readonly transport: Pick<Transport, 'peers'>;
  readonly ask: SyncClient['ask'];
  readonly onFault: (peer: PeerKey, detail: string) => void;
}

interface ArtifactWatch {
  stop(): Promise<void>;
}

const LOOK_MS = 2_000;
/** After an attempt without success; doubled by each. */
const PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 30_000;
/** Records of earlier epochs that one look reads, from the newest to genesis, once. */
const RECORDS_READ = 32;

export function watchArtifacts(parts: WatchParts): ArtifactWatch {
  const { clock, telemetry, read, artifacts } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let acting: Promise<void> = Promise.resolve();
  /** Records of this epoch and above were read; undefined: none. */
  let readFrom: number | undefined;
  let [pauseMs, nextMs] = [PAUSE_MS, 0];
  /** One that no peer has must not hold up the others. */
  let attempts = 0;
  let cancel = () => {};

  async function act(): Promise<void> {
    const { value } = await readTogether(read, (entries) => lookAt(entries, readFrom));
    if (signal.aborted) return;
    readFrom = value.readFrom;
    artifacts.nameEarlier(value.earlier);
    await artifacts.name(value.named);
    const missing = artifacts.missing();
    const hash = missing[attempts % missing.length];
    if (hash === undefined || clock.monotonicMs() < nextMs) return;
    const found = await fetchArtifact(parts, { hash, bytesMax: ARTIFACT_BYTES_MAX }, signal);
    if (found === undefined) attempts += 1;
    telemetry.count('node_artifact_fetches', 1, { result: found === undefined ? 'none' : 'fetched' });
    pauseMs = found === undefined ? Math.min(2 * pauseMs, PAUSE_MS_MAX) : PAUSE_MS;
    nextMs = clock.monotonicMs() + (found === undefined ? pauseMs : 0);
    if (found !== undefined) await artifacts.fetched(found);
  }

  function next(): void {
    if (signal.aborted) return;
    acting = act().catch((error: unknown) => {
      // Reads end with the executor, before this watch.
      if (!signal.aborted) telemetry.log('debug', 'artifacts of the chain could not be read', { error: String(error) });
    });
    void acting.then(() => {
      cancel = clock.after(LOOK_MS, next);
      if (signal.aborted) cancel();
    });
  }

  next();
  return {
    stop() {
      stopping.abort();
      cancel();
      return acting;
    },
  };
}

interface Looked {
  readonly named: readonly NamedArtifact[];
  readonly earlier: readonly Uint8Array[];
  readonly readFrom: number;
}

function lookAt(entries: FetchedEntries, readFrom: number | undefined): Looked {
  const { number: epoch, sealed } = readEpoch(entries);
  const newest = bytesEqual(sealed, NO_RECORD) ? epoch : epoch + 1;
  const from = Math.max(0, (readFrom ?? epoch) - RECORDS_READ);
  const old = Array.from({ length: (readFrom ?? epoch) - from }, (_, i) => from + i);
  entries.want([EPOCH_KEY, ...[newest, epoch, ...old].map(recordHeadKey)]);
  const artifactsOf = (of: number) => readHead(entries, of).parameters.applications.filter(bindsOne);
  return {
    named: [
      ...artifactsOf(newest).map((hash) => ({ hash, by: 'record' as const })),
      ...proposedUpgrades(entries).map(({ hash }) => ({ hash, by: 'proposal' as const })),
    ],
    earlier: [epoch, ...old].flatMap(artifactsOf),
    readFrom: from,
  };
}

const bindsOne = (hash: Uint8Array): boolean => !bindsNameAlone({ hash });

/**
 * What an operator has to know of epochs, read from the state every few seconds: whether a sealed epoch ends, whether the node's key is in
 * force, and whether its next keys or another version of the rules are awaited.
 */
import {
  CHANGES_KEY,
  EPOCH_KEY,
  type FetchedEntries,
  readEpoch,
  readHead,
  readKeyUse,
  readValidator,
  recordHeadKey,
  usedKey,
  validatorKey,
} from '@slipstream/execution';
import type { Clock, Telemetry } from '@slipstream/ports';
import { bytesEqual, to0x } from '@slipstream/primitives';
import type { ArtifactState } from '@slipstream/schema';
import { NO_RECORD } from '@slipstream/types';
import type { NodeArtifacts } from '../artifacts/node-artifacts.ts';
import { proposedUpgrades, proposedVersions } from '../epochs/proposed-versions.ts';
import { readTogether } from '../executor/fetched-entries.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';

export interface EpochVitals {
  readonly epoch: number;
  /** Of the current record. */
  readonly members: number;
  readonly isSealed: boolean;
  /** Blocks committed above the one that sealed the next record; 0 before the seal. */
  readonly blocksSinceSeal: number;
  /** Of the loaded BLS keys, the most urgent; undefined on a full node, and for keys that the chain does not know. */
  readonly ownKey: OwnKey | undefined;
  /** That a record or an open proposal names, and this program does not know. */
  readonly unknownVersion: number | undefined;
  /** Artifact that a record or an open proposal names, and this node lacks: 0x.... */
  readonly missingArtifact: string | undefined;
  /** One that a peer sent, and this node's operator has not accepted: 0x.... */
  readonly unacceptedArtifact: string | undefined;
  /** This validator leads no view, and its readiness counts from this height on; undefined: it is not benched. */
  readonly benchedUntil: number | undefined;
}

/** Most urgent first. awaited: the chain waits for the readiness of the node with the next keys, or of the candidate. */
const OWN_KEYS = ['removed', 'awaited', 'retired', 'in-force'] as const;
type OwnKey = (typeof OWN_KEYS)[number];

export interface EpochWatch {
  /** Undefined until the first check. */
  read(): EpochVitals | undefined;
  stop(): void;
}

interface EpochWatchParts {
  readonly clock: Pick<Clock, 'after'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly read: ReadStateValues;
  /** Newest version of the rules that this program knows. */
  readonly knownVersion: number;
  readonly artifacts: Pick<NodeArtifacts, 'stateOf'>;
}

type Looked = Omit<EpochVitals, 'blocksSinceSeal' | 'unknownVersion' | 'missingArtifact' | 'unacceptedArtifact'> & {
  readonly sealedHeight: number;
  readonly newestVersion: number;
  readonly artifactsNamed: readonly Uint8Array[];
};

const LOOK_MS = 2_000;

/** `ownKeys`: the loaded BLS keys, 48 bytes each. */
export function createEpochWatch(
  { clock, telemetry, read, knownVersion, artifacts }: EpochWatchParts,
  ownKeys: readonly Uint8Array[],
): EpochWatch {
  let vitals: EpochVitals | undefined;
  let stopped = false;
  let cancel = () => {};

  async function look(): Promise<void> {
    const { height, value } = await readTogether(read, (entries) => lookAt(entries, ownKeys));
    const { newestVersion, artifactsNamed, sealedHeight, ...seen } = value;
    const unknownVersion = newestVersion > knownVersion ? newestVersion : undefined;
    const firstOf = (...states: readonly ArtifactState[]) => {
      const found = artifactsNamed.find((hash) => states.includes(artifacts.stateOf(hash)));
      return found && to0x(found);
    };
    vitals = {
      ...seen,
      unknownVersion,
      missingArtifact: firstOf('missing', 'unusable'),
      unacceptedArtifact: firstOf('fetched'),
      blocksSinceSeal: seen.isSealed ? height - sealedHeight : 0,
    };
  }

  function next(): void {
    if (stopped) return;
    look()
      .catch((error: unknown) => {
        // Reads end with the executor, before this watch.
        if (!stopped) telemetry.log('debug', 'the epoch could not be read', { error: String(error) });
      })
      .finally(() => {
        cancel = clock.after(LOOK_MS, next);
        if (stopped) cancel();
      });
  }

  next();
  return {
    read: () => vitals,
    stop() {
      stopped = true;
      cancel();
    },
  };
}

function lookAt(entries: FetchedEntries, ownKeys: readonly Uint8Array[]): Looked {
  entries.want([EPOCH_KEY, CHANGES_KEY, ...ownKeys.map(usedKey)]);
  const { number: epoch, sealed, sealedHeight } = readEpoch(entries);
  const isSealed = !bytesEqual(sealed, NO_RECORD);
  const newest = isSealed ? epoch + 1 : epoch;
  entries.want([recordHeadKey(epoch), recordHeadKey(newest)]);
  const { members } = readHead(entries, epoch);
  const newestHead = readHead(entries, newest);
  const states = ownKeys.map((key) => ownKeyOf(entries, key, epoch));
  return {
    epoch,
    members,
    isSealed,
    sealedHeight,
    ownKey: OWN_KEYS.find((state) => states.includes(state)),
    benchedUntil: benchOf(entries, ownKeys),
    newestVersion: Math.max(newestHead.version, ...proposedVersions(entries)),
    artifactsNamed: [...newestHead.parameters.applications, ...proposedUpgrades(entries).map(({ hash }) => hash)],
  };
}

function benchOf(entries: FetchedEntries, ownKeys: readonly Uint8Array[]): number | undefined {
  const ids = ownKeys.flatMap((key) => readKeyUse(entries, key)?.validatorId ?? []);
  entries.want(ids.map(validatorKey));
  const benched = ids.flatMap((id) => readValidator(entries, id)?.reputation ?? []).filter(({ benched }) => benched);
  return benched[0]?.untilHeight;
}

function ownKeyOf(entries: FetchedEntries, ownKey: Uint8Array, epoch: number): OwnKey | undefined {
  const use = readKeyUse(entries, ownKey);
  const validator = use && readValidator(entries, use.validatorId);
  if (use === undefined || validator === undefined) return undefined;
  if (use.lastEpoch !== undefined && use.lastEpoch < epoch) {
    return validator.status === 'removed' ? 'removed' : 'retired';
  }
  const waits = validator.status === 'candidate' || validator.rotation !== undefined;
  return waits && !validator.ready ? 'awaited' : 'in-force';
}

/**
 * Readiness that the chain waits for, of keys that this node holds: of a candidate, a rotation, a proposed version of the rules or of an
 * application, or a benched leader whose time is over.
 */
import {
  awaitsReadiness,
  CHANGES_KEY,
  EPOCH_KEY,
  type FetchedEntries,
  readEpoch,
  readKeyUse,
  readValidator,
  usedKey,
  type Validator,
  validatorKey,
} from '@slipstream/execution';
import type { ArtifactTable } from '@slipstream/node-home/applications';
import type { Identity } from '@slipstream/node-home/identity';
import { bytesEqual, type PeerKey, toHex } from '@slipstream/primitives';
import { REPORTED_ARTIFACTS_MAX, type Ready, type UpgradeApplication, type ValidatorId } from '@slipstream/types';
import { proposedUpgrades, proposedVersions } from '../epochs/proposed-versions.ts';

type HeldKeys = Pick<Identity, 'blsKeys' | 'networkKeys'>;
interface BoundKeys {
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
}

interface WantedReadiness {
  readonly ready: readonly Omit<Ready, 'kind' | 'signature'>[];
  /** Keys of a rotation of a validator of this node, which it has not read yet. */
  readonly unread: readonly BoundKeys[];
}

interface Asked {
  /** Newest version of the rules that this program knows. */
  readonly known: number;
  readonly artifacts: Pick<ArtifactTable, 'manifestOf'>;
  /** Of the next block. */
  readonly height: number;
}

export function wantedReadiness(
  entries: FetchedEntries,
  held: HeldKeys,
  { known, artifacts, height }: Asked,
): WantedReadiness {
  entries.want([EPOCH_KEY, CHANGES_KEY, ...held.blsKeys.map(({ publicKey }) => usedKey(publicKey))]);
  const { number } = readEpoch(entries);
  const proposed = Math.max(0, ...proposedVersions(entries).filter((version) => version <= known));
  const named = proposedUpgrades(entries)
    .filter((change) => isArtifactOf(artifacts, change))
    .map(({ hash }) => hash)
    .slice(0, REPORTED_ARTIFACTS_MAX);
  const keys = validatorsOf(entries, held).flatMap(
    (validator) => awaitedKeys(validator, { proposed, named, height }) ?? [],
  );
  return {
    ready: keys
      .filter((each) => holds(held, each))
      .map(({ blsPublicKey, peerKey }) => ({
        blsPublicKey,
        peerKey,
        epoch: number as Ready['epoch'],
        version: known,
        artifacts: named,
      })),
    unread: keys.filter((each) => !holds(held, each)),
  };
}

function validatorsOf(entries: FetchedEntries, { blsKeys }: HeldKeys): readonly Validator[] {
  const uses = blsKeys.flatMap(({ publicKey }) => readKeyUse(entries, publicKey) ?? []);
  const ids = new Map<string, ValidatorId>(uses.map(({ validatorId }) => [toHex(validatorId), validatorId]));
  entries.want([...ids.values()].map(validatorKey));
  return [...ids.values()].flatMap((id) => readValidator(entries, id) ?? []);
}

/** An artifact of another application, or of another version, is none to be ready with. */
function isArtifactOf(
  artifacts: Pick<ArtifactTable, 'manifestOf'>,
  { hash, name, version }: UpgradeApplication,
): boolean {
  const manifest = artifacts.manifestOf(hash);
  return manifest?.name === name && manifest.version === version;
}

interface Proposed {
  readonly proposed: number;
  readonly named: readonly Uint8Array[];
  readonly height: number;
}

function awaitedKeys(validator: Validator, { proposed, named, height }: Proposed): BoundKeys | undefined {
  const { status, rotation, ready, version, reputation } = validator;
  if (status === 'removed') return undefined;
  if (!ready && status === 'candidate') return validator;
  if (!ready && rotation !== undefined) return rotation;
  const lacks = named.some((hash) => !validator.artifacts.some((each) => bytesEqual(each, hash)));
  return version < proposed || lacks || awaitsReadiness(reputation, height) ? validator : undefined;
}

function holds({ blsKeys, networkKeys }: HeldKeys, { blsPublicKey, peerKey }: BoundKeys): boolean {
  return (
    blsKeys.some(({ publicKey }) => bytesEqual(publicKey, blsPublicKey)) &&
    networkKeys.some(({ peer }) => peer === peerKey)
  );
}

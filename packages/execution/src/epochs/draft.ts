/**
 * The draft of the next record: the current one, and the due changes that it takes, in order, as far as it stays sound (shares.ts).
 *
 *   whole proposal sound?  --yes--> taken
 *            \--no--> its changes one by one: a weight in part; the first that is not done holds the rest back
 *
 * A change that is held back holds back later ones of the same validator or parameter, and no others.
 */
import { bytesEqual, fromHex, toHex } from '@slipstream/primitives';
import {
  type ApplicationEntry,
  type Change,
  type EpochParameters,
  type EpochRecord,
  epoch as epochOf,
  type Governance,
  type RecordMember,
  type SetParameters,
  type UpgradeApplication,
  type ValidatorId,
  validatorIdOf,
} from '@slipstream/types';
import { readApplications } from '../applications/upgrades.ts';
import type { Entries } from '../overlay.ts';
import { isSound, soundWeightToward, type Weights } from './shares.ts';
import { readValidator, type Validator } from './validators.ts';

export interface Draft {
  readonly now: EpochRecord;
  readonly nowWeights: Weights;
  /** Members that joined, too. A weight of zero is no entry. */
  weights: Map<string, number>;
  /** Validators that take their new keys. */
  readonly rotated: Set<string>;
  parameters: EpochParameters;
  version: number;
  governance: Governance | undefined;
  /** Members that lead no view. */
  readonly benched: Set<string>;
  /** What an earlier change that waits is about. */
  readonly held: Set<string>;
  /** Anything at all. */
  changed: boolean;
  validator(id: ValidatorId): Validator | undefined;
  /** The chain's, with the versions that run now. */
  applications(): readonly ApplicationEntry[];
}

export type Result = 'done' | 'waits';

/** Why a due change waits: for its node, for nodes that know the version or have the artifact, for weight to move, or behind another change. */
export type ChangeWait = 'not-ready' | 'version-unknown' | 'artifact-missing' | 'weight' | 'earlier-change';

interface HeldChange {
  readonly change: Change;
  readonly why: ChangeWait;
}

export function createDraft(entries: Pick<Entries, 'get'>, now: EpochRecord): Draft {
  const nowWeights = new Map(now.members.map(({ validatorId, weight }) => [toHex(validatorId), weight]));
  const known = new Map<string, Validator | undefined>();
  return {
    now,
    nowWeights,
    weights: new Map(nowWeights),
    rotated: new Set(),
    benched: new Set(now.members.filter(({ leads }) => !leads).map(({ validatorId }) => toHex(validatorId))),
    parameters: now.parameters,
    version: now.version,
    governance: undefined,
    held: new Set(),
    changed: false,
    validator(id) {
      const name = toHex(id);
      if (!known.has(name)) known.set(name, readValidator(entries, id));
      return known.get(name);
    },
    applications: () => readApplications(entries),
  };
}

/** Returns the changes that still wait. */
export function takeChanges(draft: Draft, changes: readonly Change[]): readonly HeldChange[] {
  if (takeWhole(draft, changes)) return [];
  const left: HeldChange[] = [];
  for (const change of changes) {
    const isBehind = left.length > 0 || isHeld(draft, change);
    const why = isBehind ? (unreadiness(draft, change) ?? 'earlier-change') : takeOne(draft, change);
    if (why !== undefined) left.push({ change, why });
  }
  for (const { change } of left) draft.held.add(subjectOf(change));
  return left;
}

export function takeRemoval(draft: Draft, id: ValidatorId): Result {
  const name = toHex(id);
  if (draft.held.has(name)) return 'waits';
  const taken = moveWeight(draft, name, 0);
  if (taken === 'waits') draft.held.add(name);
  return taken;
}

export function takeRotation(draft: Draft, id: ValidatorId): Result {
  const name = toHex(id);
  // A later change may bring a removed member back, so its rotation stays in the queue.
  const isMember = draft.weights.has(name);
  if (!isMember || draft.held.has(name) || draft.validator(id)?.ready !== true) return 'waits';
  draft.rotated.add(name);
  draft.changed = true;
  return 'done';
}

/** The steps of a large change may each be too large while their sum is not. */
function takeWhole(draft: Draft, changes: readonly Change[]): boolean {
  if (changes.some((change) => isHeld(draft, change) || unreadiness(draft, change) !== undefined)) return false;
  const weights = new Map(draft.weights);
  for (const change of changes) {
    const wanted = weightWanted(draft, change);
    if (wanted === undefined) continue;
    if (wanted.weight === 0) weights.delete(wanted.name);
    else weights.set(wanted.name, wanted.weight);
  }
  if (!isSound(draft.nowWeights, weights)) return false;
  const moves = changes.some((change) => isMove(draft, change, weights));
  draft.weights = weights;
  for (const change of changes) setValue(draft, change);
  draft.changed ||= moves;
  return true;
}

/** Not, for one, the removal of a validator that is gone. */
function isMove(draft: Draft, change: Change, weights: Weights): boolean {
  if (change.kind === 'upgradeApplication') return placeToUpgrade(draft, change) !== undefined;
  const name = weightWanted(draft, change)?.name;
  return name === undefined || weights.get(name) !== draft.weights.get(name);
}

/** Undefined: taken. */
function takeOne(draft: Draft, change: Change): ChangeWait | undefined {
  const unready = unreadiness(draft, change);
  if (unready !== undefined) return unready;
  const wanted = weightWanted(draft, change);
  if (wanted !== undefined) return moveWeight(draft, wanted.name, wanted.weight) === 'done' ? undefined : 'weight';
  draft.changed ||= isMove(draft, change, draft.weights);
  setValue(draft, change);
  return undefined;
}

function moveWeight(draft: Draft, name: string, target: number): Result {
  const present = draft.weights.get(name) ?? 0;
  const reached = soundWeightToward(draft.nowWeights, draft.weights, name, target);
  if (reached !== present) draft.changed = true;
  if (reached === 0) draft.weights.delete(name);
  else draft.weights.set(name, reached);
  return reached === target ? 'done' : 'waits';
}

/** Additions wait for their node, a version for those of more than two thirds of the weight. */
function unreadiness(draft: Draft, change: Change): ChangeWait | undefined {
  if (change.kind === 'addValidator') {
    const validator = draft.validator(validatorIdOf(change.blsPublicKey));
    return validator?.status === 'candidate' && !validator.ready ? 'not-ready' : undefined;
  }
  if (change.kind === 'setVersion')
    return isOfQuorum(draft, ({ version }) => version >= change.version) ? undefined : 'version-unknown';
  if (change.kind !== 'upgradeApplication' || placeToUpgrade(draft, change) === undefined) return undefined;
  // A report of an earlier epoch counts, too: nodes keep artifacts.
  const has = ({ artifacts }: Validator) => artifacts.some((hash) => bytesEqual(hash, change.hash));
  return isOfQuorum(draft, has) ? undefined : 'artifact-missing';
}

function isOfQuorum(draft: Draft, holds: (validator: Validator) => boolean): boolean {
  let [holding, total] = [0, 0];
  for (const [name, weight] of draft.weights) {
    total += weight;
    const validator = draft.validator(fromHex(name) as ValidatorId);
    if (validator !== undefined && holds(validator)) holding += weight;
  }
  return 3 * holding > 2 * total;
}

/** The number of the application; undefined: the chain has none of the name, or the version is no longer its next one. */
function placeToUpgrade(draft: Draft, { name, version }: UpgradeApplication): number | undefined {
  const all = draft.applications();
  const number = all.findIndex((each) => each.name === name);
  const entry = all[number];
  if (entry === undefined || entry.version + 1 !== version) return undefined;
  return bytesEqual(entry.hash, draft.parameters.applications[number] as Uint8Array) ? number : undefined;
}

function upgraded(draft: Draft, change: UpgradeApplication): EpochParameters {
  const place = placeToUpgrade(draft, change);
  const applications = draft.parameters.applications.map((hash, number) => (number === place ? change.hash : hash));
  return { ...draft.parameters, applications };
}

/** A validator that is gone gets no weight back: its keys are used up. */
function weightWanted(draft: Draft, change: Change): { readonly name: string; readonly weight: number } | undefined {
  if (change.kind !== 'addValidator' && change.kind !== 'removeValidator' && change.kind !== 'setWeight')
    return undefined;
  const id = change.kind === 'addValidator' ? validatorIdOf(change.blsPublicKey) : change.validatorId;
  const name = toHex(id);
  const validator = draft.validator(id);
  const isGone = validator === undefined || validator.status === 'removed' || validator.reported || validator.leaving;
  const isCandidate = validator?.status === 'candidate';
  if (isGone || (isCandidate && change.kind !== 'addValidator')) return { name, weight: draft.weights.get(name) ?? 0 };
  return { name, weight: change.kind === 'removeValidator' ? 0 : change.weight };
}

function setValue(draft: Draft, change: Change): void {
  switch (change.kind) {
    case 'setParameters':
      draft.parameters = parametersOf(draft.parameters, change);
      break;
    case 'setTrustedIssuers':
      draft.parameters = { ...draft.parameters, trustedIssuers: change.trustedIssuers };
      break;
    case 'setVersion':
      draft.version = Math.max(draft.version, change.version);
      break;
    case 'setGovernance':
      draft.governance = change.governance;
      break;
    case 'upgradeApplication':
      draft.parameters = upgraded(draft, change);
      break;
    default:
  }
}

function parametersOf(before: EpochParameters, { fees, times, leaderReputation }: SetParameters): EpochParameters {
  return { ...before, fees, times, leaderReputation: leaderReputation ?? before.leaderReputation };
}

function isHeld(draft: Draft, change: Change): boolean {
  return draft.held.has(subjectOf(change));
}

function subjectOf(change: Change): string {
  if (change.kind === 'addValidator') return toHex(validatorIdOf(change.blsPublicKey));
  if (change.kind === 'removeValidator' || change.kind === 'setWeight') return toHex(change.validatorId);
  return change.kind === 'upgradeApplication' ? `application ${change.name}` : change.kind;
}

/** Present members keep their order; new ones follow. */
export function recordOfDraft(draft: Draft): EpochRecord {
  const { now, weights, parameters, version } = draft;
  const stayed = now.members.filter(({ validatorId }) => weights.has(toHex(validatorId)));
  const joined = [...weights.keys()].filter((name) => !draft.nowWeights.has(name));
  const members = [
    ...stayed.map((member) => memberOf(draft, member.validatorId, member)),
    ...joined.map((name) => memberOf(draft, fromHex(name) as ValidatorId, undefined)),
  ];
  return { epoch: epochOf(now.epoch + 1), version, parameters, members };
}

function memberOf(draft: Draft, id: ValidatorId, before: RecordMember | undefined): RecordMember {
  const name = toHex(id);
  const validator = draft.validator(id) as Validator;
  const keys = draft.rotated.has(name) && validator.rotation ? validator.rotation : validator;
  const { address, feeAccount } = validator;
  const previous = before !== undefined && before.peerKey !== keys.peerKey ? before.peerKey : undefined;
  return {
    validatorId: id,
    weight: draft.weights.get(name) as number,
    blsPublicKey: keys.blsPublicKey,
    peerKey: keys.peerKey,
    previousPeerKey: previous,
    address,
    feeAccount,
    leads: !draft.benched.has(name),
  };
}

/** ready, rotateKeys, leave and reportEquivocation: what concerns one validator. Signatures were checked when the chunk arrived. */
import { bytesEqual, fromHex } from '@slipstream/primitives';
import {
  type AccountKey,
  type Leave,
  REPORTED_ARTIFACTS_MAX,
  type Ready,
  type ReportEquivocation,
  type RotateKeys,
} from '@slipstream/types';
import { readEpoch } from '../epochs/current-epoch.ts';
import { CHANGES_KEY } from '../epochs/keys.ts';
import { enqueue, wakeQueue } from '../epochs/queue.ts';
import { readHead } from '../epochs/records.ts';
import { awaitsReadiness } from '../epochs/reputation.ts';
import { type KeyUse, readKeyUse, writeKeyUse } from '../epochs/used-keys.ts';
import { readValidator, type Validator, type ValidatorKeys, writeValidator } from '../epochs/validators.ts';
import type { Entries } from '../overlay.ts';
import { type ActionRule, APPLIED } from './rule.ts';

/** Of block time after the last epoch of a key. */
const EVIDENCE_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** Fails with `ready-stale`, `key-unknown` or `wrong-peer-key`. */
export const readyRule: ActionRule<Ready> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, { blsPublicKey, peerKey, epoch, version: reported, artifacts: named }, _, { height }) {
    if (epoch !== readEpoch(scratch).number) return { ok: false, code: 'ready-stale' };
    const use = readKeyUse(scratch, blsPublicKey);
    const validator = use && readValidator(scratch, use.validatorId);
    if (use === undefined || validator === undefined || validator.status === 'removed') {
      return { ok: false, code: 'key-unknown' };
    }
    const isNew = validator.rotation !== undefined && hasKey(validator.rotation, blsPublicKey);
    if (!isNew && !hasKey(validator, blsPublicKey)) return { ok: false, code: 'key-unknown' };
    const keys = isNew && validator.rotation?.peerKey === peerKey ? validator.rotation : validator;
    if (keys.peerKey !== peerKey) return { ok: false, code: 'wrong-peer-key' };
    const isAwaited = validator.status === 'candidate' || keys === validator.rotation;
    // Any account may send an older report of the epoch again.
    const version = epoch === validator.versionEpoch ? Math.max(validator.version, reported) : reported;
    const before = epoch === validator.versionEpoch ? validator.artifacts : [];
    const added = named.filter((hash) => !isAmong(before, hash));
    const artifacts = [...added, ...before].slice(0, REPORTED_ARTIFACTS_MAX);
    const isComeback = awaitsReadiness(validator.reputation, height);
    writeValidator(scratch, use.validatorId, {
      ...validator,
      version,
      versionEpoch: epoch,
      artifacts,
      ready: validator.ready || isAwaited,
      reputation: isComeback ? { ...validator.reputation, ready: true } : validator.reputation,
    });
    // Repeated, it is no reason to look at the queue.
    if (version > validator.version || added.length > 0 || (isAwaited && !validator.ready) || isComeback)
      wakeQueue(scratch);
    return APPLIED;
  },
};

function isAmong(hashes: readonly Uint8Array[], hash: Uint8Array): boolean {
  return hashes.some((each) => bytesEqual(each, hash));
}

/** Fails with `validator-unknown`, `not-the-operator` or `key-used`. New keys wait for `ready`; address and fee account do not. */
export const rotateKeysRule: ActionRule<RotateKeys> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, action, _, { sender }) {
    const { validatorId, blsPublicKey, peerKey, address, feeAccount } = action;
    const validator = readValidator(scratch, validatorId);
    if (validator?.status !== 'member') return { ok: false, code: 'validator-unknown' };
    if (!isSame(validator.operator, sender)) return { ok: false, code: 'not-the-operator' };
    const fresh = newKeys(validator, { blsPublicKey, peerKey });
    if (fresh.some((key) => readKeyUse(scratch, key) !== undefined)) return { ok: false, code: 'key-used' };
    // Keys of a rotation that this one replaces stay used.
    for (const key of fresh) writeKeyUse(scratch, key, { validatorId, lastEpoch: undefined });
    const isAsBefore = validator.peerKey === peerKey && hasKey(validator, blsPublicKey);
    const rotation = isAsBefore ? undefined : { blsPublicKey, peerKey };
    const ready = validator.ready && isSameRotation(validator.rotation, rotation);
    const isQueued = rotation !== undefined || validator.rotationQueued;
    writeValidator(scratch, validatorId, {
      ...validator,
      address,
      feeAccount,
      rotation,
      rotationQueued: isQueued,
      ready,
    });
    if (isQueued && !validator.rotationQueued) enqueue(scratch, { kind: 'rotation', id: validatorId });
    return APPLIED;
  },
};

/** Neither in use by the validator, nor waiting to be. */
function newKeys(validator: Validator, { blsPublicKey, peerKey }: ValidatorKeys): readonly Uint8Array[] {
  const own = validator.rotation === undefined ? [validator] : [validator, validator.rotation];
  return [
    ...(own.some((keys) => hasKey(keys, blsPublicKey)) ? [] : [blsPublicKey]),
    ...(own.some((keys) => keys.peerKey === peerKey) ? [] : [fromHex(peerKey)]),
  ];
}

function isSameRotation(a: ValidatorKeys | undefined, b: ValidatorKeys | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.peerKey === b.peerKey && hasKey(a, b.blsPublicKey);
}

/** Fails with `validator-unknown`, `not-the-operator` or `already-leaving`. */
export const leaveRule: ActionRule<Leave> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, { validatorId }, _, { sender }) {
    const validator = readValidator(scratch, validatorId);
    if (validator?.status !== 'member') return { ok: false, code: 'validator-unknown' };
    if (!isSame(validator.operator, sender)) return { ok: false, code: 'not-the-operator' };
    if (validator.leaving) return { ok: false, code: 'already-leaving' };
    writeValidator(scratch, validatorId, { ...validator, leaving: true });
    enqueue(scratch, { kind: 'leave', id: validatorId });
    return APPLIED;
  },
};

/** Fails with `key-unknown`, `evidence-expired` or `already-reported`. The next seal removes the validator. */
export const reportEquivocationRule: ActionRule<ReportEquivocation> = {
  keys: () => [CHANGES_KEY],
  apply(scratch, { blsPublicKey }, _, { timestampMs }) {
    const code = evidenceRefusal(scratch, blsPublicKey, timestampMs);
    if (code !== undefined) return { ok: false, code };
    const { validatorId } = readKeyUse(scratch, blsPublicKey) as KeyUse;
    const validator = readValidator(scratch, validatorId) as Validator;
    writeValidator(scratch, validatorId, { ...validator, reported: true });
    enqueue(scratch, { kind: 'report', id: validatorId });
    return APPLIED;
  },
};

/** Why evidence against this key would change nothing at this time; undefined: it counts. */
export function evidenceRefusal(
  entries: Pick<Entries, 'get'>,
  blsPublicKey: Uint8Array,
  nowMs: number,
): 'key-unknown' | 'evidence-expired' | 'already-reported' | undefined {
  const use = readKeyUse(entries, blsPublicKey);
  const validator = use && readValidator(entries, use.validatorId);
  if (use === undefined || validator === undefined || validator.status === 'candidate') return 'key-unknown';
  if (isExpired(entries, use.lastEpoch, nowMs)) return 'evidence-expired';
  return validator.reported || validator.status === 'removed' ? 'already-reported' : undefined;
}

function isExpired(entries: Pick<Entries, 'get'>, lastEpoch: number | undefined, nowMs: number): boolean {
  if (lastEpoch === undefined) return false;
  const { endedMs } = readHead(entries, lastEpoch);
  return endedMs !== 0 && endedMs + EVIDENCE_LIFE_MS < nowMs;
}

function hasKey(keys: Pick<ValidatorKeys, 'blsPublicKey'>, blsPublicKey: Uint8Array): boolean {
  return bytesEqual(keys.blsPublicKey, blsPublicKey);
}

function isSame(a: AccountKey, b: AccountKey): boolean {
  return a.scheme === b.scheme && bytesEqual(a.bytes, b.bytes);
}

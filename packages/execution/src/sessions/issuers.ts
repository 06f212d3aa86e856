/**
 * Committees of trusted issuers that changed, under 'r' || SHA-256(root key || genesis hash of the issuer).
 *
 * Without an entry the committee that the root key certified holds until its certificate expires. From the first handover on only the
 * entry counts: the newest committee, and for 30 days of block time each that it replaced.
 */
import { bytesEqual, ContainerType, concatBytes, createCodec, ListCompositeType, sha256 } from '@slipstream/primitives';
import { bytes32, type GenesisHash, uint32, uint53 } from '@slipstream/types';
import { decodeValue } from '../epochs/value.ts';
import type { Entries } from '../overlay.ts';
import { type StateKey, stateKey } from '../state-keys.ts';

interface ReplacedCommittee {
  /** SHA-256 of its certified members. */
  readonly hash: Uint8Array;
  readonly endMs: number;
}

export interface IssuerCommittees {
  readonly epoch: number;
  /** SHA-256 of the certified members. */
  readonly hash: Uint8Array;
  /** Oldest first. */
  readonly replaced: readonly ReplacedCommittee[];
}

const ISSUER = 0x72;
/** A grant lives as long, so a session that began outlives no credential. */
const REPLACED_LIFE_MS = 30 * 24 * 60 * 60 * 1000;
/** An issuer that changes faster loses its oldest ones earlier. */
const REPLACED_MAX = 16;

const type = new ContainerType({
  epoch: uint32,
  hash: bytes32,
  replaced: new ListCompositeType(new ContainerType({ hash: bytes32, endMs: uint53 }), REPLACED_MAX),
});
const codec = createCodec<IssuerCommittees>('committees of an issuer', type, type.maxSize);

export function issuerStateKey(rootKey: Uint8Array, issuer: GenesisHash): StateKey {
  return stateKey(concatBytes(new Uint8Array([ISSUER]), sha256(concatBytes(rootKey, issuer))));
}

/** Throws ExecutionError `state-corrupt`. */
export function readIssuer(entries: Pick<Entries, 'get'>, key: StateKey): IssuerCommittees | undefined {
  const value = entries.get(key);
  return value && decodeValue(codec, value);
}

export function holdsAt({ hash, replaced }: IssuerCommittees, committee: Uint8Array, nowMs: number): boolean {
  if (bytesEqual(hash, committee)) return true;
  return replaced.some((each) => bytesEqual(each.hash, committee) && each.endMs > nowMs);
}

interface Advance {
  readonly from: Uint8Array;
  readonly to: Pick<IssuerCommittees, 'epoch' | 'hash'>;
  readonly nowMs: number;
}

export function advance(entries: Entries, key: StateKey, { from, to, nowMs }: Advance): void {
  const before = readIssuer(entries, key)?.replaced ?? [];
  const kept = before.filter(({ hash, endMs }) => endMs > nowMs && !bytesEqual(hash, from));
  const replaced = bytesEqual(from, to.hash) ? kept : [...kept, { hash: from, endMs: nowMs + REPLACED_LIFE_MS }];
  entries.set(key, codec.encode({ ...to, replaced: replaced.slice(-REPLACED_MAX) }));
}

/**
 * State proofs: a quorum certified that keys of the state have values, or none, at one height. Runs in browsers.
 *
 *   key, value or none --path--> stateRoot(h) --preimage--> digest(h) --preimages--> digest(h') --state certificate--> committee
 *
 * Each key has a path of its own; what certifies the root stands once.
 */
import {
  ByteListType,
  ContainerType,
  createCodec,
  fail,
  ListCompositeType,
  type Result,
  toHex,
} from '@slipstream/primitives';
import {
  type CertifiedCommittee,
  type CertifiedState,
  type CertifiedStateWire,
  certifiedStateFields,
  certifiedStateFromWire,
  certifiedStateToWire,
  checkCertifiedState,
  type GenesisHash,
  type ProofFault,
  type ProofSignature,
} from '@slipstream/types';
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from './forms.ts';
import { type PathProof, type PathProofWire, pathFromWire, pathProofType, pathToWire } from './path-proof.ts';
import { type PathFault, verifyPath } from './verify-path.ts';

export const PROOF_KEYS_MAX = 64;
/** Of all values of a proof: 4 of the largest. An answer in JSON has them twice, in hexadecimal: 1 MiB, for as long as its reader takes. */
export const PROOF_VALUE_BYTES_MAX = 4 * VALUE_BYTES_MAX;

interface ProvenKey {
  readonly key: Uint8Array;
  /** Undefined: the key is absent. */
  readonly value: Uint8Array | undefined;
  readonly path: PathProof;
}

/** The preimages begin at the height of the entries. */
export interface StateProof extends CertifiedState {
  readonly entries: readonly ProvenKey[];
}

interface ProvenKeyWire {
  readonly key: Uint8Array;
  readonly value: readonly Uint8Array[];
  readonly path: PathProofWire;
}

interface StateProofWire extends CertifiedStateWire {
  readonly entries: readonly ProvenKeyWire[];
}

const stateProofType = new ContainerType({
  entries: new ListCompositeType(
    new ContainerType({
      key: new ByteListType(KEY_BYTES_MAX),
      value: new ListCompositeType(new ByteListType(VALUE_BYTES_MAX), 1),
      path: pathProofType,
    }),
    PROOF_KEYS_MAX,
  ),
  ...certifiedStateFields,
});

/** 730 kB. */
const STATE_PROOF_BYTES_MAX = stateProofType.maxSize - PROOF_KEYS_MAX * VALUE_BYTES_MAX + PROOF_VALUE_BYTES_MAX;

export const stateProofCodec = createCodec<StateProof, StateProofWire>(
  'state proof',
  stateProofType,
  STATE_PROOF_BYTES_MAX,
  {
    toWire: ({ entries, ...state }) => ({
      entries: entries.map(({ key, value, path }) => ({
        key,
        value: value === undefined ? [] : [value],
        path: pathToWire(path),
      })),
      ...certifiedStateToWire(state),
    }),
    fromWire: ({ entries, ...state }) => ({
      entries: distinct(entries).map(({ key, value: [value], path }) => ({ key, value, path: pathFromWire(path) })),
      ...certifiedStateFromWire(state),
    }),
  },
);

/** Throws RangeError. */
function distinct(entries: readonly ProvenKeyWire[]): readonly ProvenKeyWire[] {
  if (entries.length === 0) throw new RangeError('a state proof without a key');
  if (entries.some(({ key }) => key.length === 0)) throw new RangeError('a key of 0 bytes');
  if (new Set(entries.map(({ key }) => toHex(key))).size < entries.length) throw new RangeError('a key twice');
  return entries;
}

interface StateProofRejection {
  readonly fault: PathFault | ProofFault;
  /** The entry that does not hold; undefined: what certifies the root. */
  readonly entry?: number;
}

/** Returns the signature that must hold. The caller compares the keys with those that were asked for. */
export function checkStateProof(
  { entries, preimages, certificate }: StateProof,
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
): Result<ProofSignature, StateProofRejection> {
  const first = preimages[0];
  if (first === undefined) return fail({ fault: 'chain' });
  for (const [entry, { key, value, path }] of entries.entries()) {
    const verified = verifyPath(first.stateRoot, key, value, path);
    if (!verified.ok) return fail({ fault: verified.error, entry });
  }
  const signature = checkCertifiedState({ preimages, certificate }, genesisHash, committee);
  return signature.ok ? signature : fail({ fault: signature.error });
}

/**
 * advanceIssuer: the committee of a trusted issuer changed. Anyone may send it.
 *
 *   root key, or the state --> committee of e --handover--> committee of e + 1, whose credentials hold from then on
 */
import { ByteVectorType, ContainerType, createCodec, to0x } from '@slipstream/primitives';
import { parseBytes } from '../../src/actions/json.ts';
import type { CertifiedMember } from '../../src/committee.ts';
import { blsKeyFromJson, keySignatureFromJson } from '../../src/epochs/changes-json.ts';
import {
  type Handover,
  type HandoverWire,
  handoverCodec,
  handoverFromWire,
  handoverToWire,
  handoverType,
} from '../../src/epochs/handover.ts';
import { asId, type GenesisHash } from '../../src/ids.ts';
import { ACTION_BODY_BYTES_MAX, BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES } from '../../src/limits.ts';
import { certifiedMembersType, optionalSignatureType } from '../../src/session/committee-certificate.ts';
import { bytes32, uint53 } from '../../src/subject-wire.ts';

interface IssuerRoot {
  readonly expiryMs: number;
  /** 96 bytes over committeeMessage of the members. */
  readonly signature: Uint8Array;
}

export interface AdvanceIssuer {
  readonly kind: 'advanceIssuer';
  /** Chain whose committee it is. */
  readonly issuer: GenesisHash;
  /** 48 bytes; a trusted issuer. */
  readonly rootKey: Uint8Array;
  /** For the first; later the state knows the committee. */
  readonly root: IssuerRoot | undefined;
  /** Of the handover's epoch. */
  readonly members: readonly CertifiedMember[];
  readonly handover: Handover;
}

interface AdvanceIssuerWire {
  readonly issuer: Uint8Array;
  readonly rootKey: Uint8Array;
  readonly expiryMs: number;
  readonly members: readonly CertifiedMember[];
  readonly handover: HandoverWire;
  readonly signature: Uint8Array;
}

const type = new ContainerType({
  issuer: bytes32,
  rootKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  expiryMs: uint53,
  members: certifiedMembersType,
  handover: handoverType,
  signature: optionalSignatureType,
});

export const advanceIssuerCodec = createCodec<AdvanceIssuer, AdvanceIssuerWire>(
  'advanceIssuer',
  type,
  ACTION_BODY_BYTES_MAX,
  {
    toWire: ({ issuer, rootKey, root, members, handover }) => ({
      issuer,
      rootKey,
      expiryMs: root?.expiryMs ?? 0,
      members,
      handover: handoverToWire(handover),
      signature: root?.signature ?? new Uint8Array(0),
    }),
    fromWire: ({ issuer, rootKey, expiryMs, members, handover, signature }) => {
      const hasRoot = expiryMs > 0;
      if (signature.length !== (hasRoot ? BLS_AGGREGATE_BYTES : 0)) {
        throw new RangeError('an expiry and a signature of the root key come together');
      }
      return {
        kind: 'advanceIssuer',
        issuer: asId<GenesisHash>(issuer),
        rootKey,
        root: hasRoot ? { expiryMs, signature } : undefined,
        members,
        handover: handoverFromWire(handover),
      };
    },
  },
);

export interface AdvanceIssuerJson {
  readonly kind: 'advanceIssuer';
  readonly issuer: string;
  readonly rootKey: string;
  readonly root?: { readonly expiryMs: number; readonly signature: string };
  readonly members: readonly { readonly weight: number; readonly blsPublicKey: string }[];
  /** Serialized. */
  readonly handover: string;
}

export function advanceIssuerToJson({
  kind,
  issuer,
  rootKey,
  root,
  members,
  handover,
}: AdvanceIssuer): AdvanceIssuerJson {
  return {
    kind,
    issuer: to0x(issuer),
    rootKey: to0x(rootKey),
    ...(root && { root: { expiryMs: root.expiryMs, signature: to0x(root.signature) } }),
    members: members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey: to0x(blsPublicKey) })),
    handover: to0x(handoverCodec.encode(handover)),
  };
}

/** Throws RangeError with the reason. */
export function advanceIssuerFromJson(json: AdvanceIssuerJson): AdvanceIssuer {
  const { root } = json;
  const handover = handoverCodec.decode(parseBytes(json.handover));
  if (!handover.ok) throw new RangeError(handover.error.message);
  return {
    kind: 'advanceIssuer',
    issuer: asId<GenesisHash>(parseBytes(json.issuer)),
    rootKey: blsKeyFromJson(json.rootKey),
    root: root && { expiryMs: root.expiryMs, signature: keySignatureFromJson(root.signature) },
    members: json.members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey: blsKeyFromJson(blsPublicKey) })),
    handover: handover.value,
  };
}

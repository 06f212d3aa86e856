/** ready: a node with these keys is synced and connected to more than two thirds of the weight. Anyone may send it. */
import {
  ByteVectorType,
  ContainerType,
  createCodec,
  fromHex,
  ListCompositeType,
  type PeerKey,
  to0x,
  toHex,
} from '@slipstream/primitives';
import { artifactHashFromJson, blsKeyFromJson, keySignatureFromJson, peerKeyFromJson } from '../epochs/changes-json.ts';
import {
  ACTION_BODY_BYTES_MAX,
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  ED25519_PUBLIC_KEY_BYTES,
} from '../limits.ts';
import { bytes32, uint16, uint32 } from '../subject-wire.ts';

/** Of one report, and of one epoch. */
export const REPORTED_ARTIFACTS_MAX = 8;

export const reportedArtifactsType = new ListCompositeType(bytes32, REPORTED_ARTIFACTS_MAX);

export interface Ready {
  readonly kind: 'ready';
  readonly blsPublicKey: Uint8Array;
  readonly peerKey: PeerKey;
  /** The current one: a signature of an earlier epoch no longer counts. */
  readonly epoch: number;
  /** Newest version of the rules that the node's program knows. */
  readonly version: number;
  /** Hashes of artifacts that the node has and an open proposal names. */
  readonly artifacts: readonly Uint8Array[];
  /** 96 bytes over readyMessage, by the BLS key. */
  readonly signature: Uint8Array;
}

interface ReadyWire extends Omit<Ready, 'kind' | 'peerKey'> {
  readonly peerKey: Uint8Array;
}

const type = new ContainerType({
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  peerKey: new ByteVectorType(ED25519_PUBLIC_KEY_BYTES),
  epoch: uint32,
  version: uint16,
  artifacts: reportedArtifactsType,
  signature: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

export const readyCodec = createCodec<Ready, ReadyWire>('ready', type, ACTION_BODY_BYTES_MAX, {
  toWire: ({ kind: _, peerKey, ...rest }) => ({ ...rest, peerKey: fromHex(peerKey) }),
  fromWire: ({ peerKey, ...rest }) => ({ kind: 'ready', ...rest, peerKey: toHex(peerKey) as PeerKey }),
});

export interface ReadyJson {
  readonly kind: 'ready';
  readonly blsPublicKey: string;
  readonly peerKey: string;
  readonly epoch: number;
  readonly version: number;
  readonly artifacts: readonly string[];
  readonly signature: string;
}

export function readyToJson({ blsPublicKey, peerKey, epoch, version, artifacts, signature }: Ready): ReadyJson {
  return {
    kind: 'ready',
    epoch,
    version,
    artifacts: artifacts.map(to0x),
    blsPublicKey: to0x(blsPublicKey),
    peerKey: `0x${peerKey}`,
    signature: to0x(signature),
  };
}

/** Throws RangeError with the reason. */
export function readyFromJson({ blsPublicKey, peerKey, epoch, version, artifacts, signature }: ReadyJson): Ready {
  return {
    kind: 'ready',
    epoch,
    version,
    artifacts: artifacts.map(artifactHashFromJson),
    blsPublicKey: blsKeyFromJson(blsPublicKey),
    peerKey: peerKeyFromJson(peerKey),
    signature: keySignatureFromJson(signature),
  };
}

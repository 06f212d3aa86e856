/** Wire form of subjects and signer sets: one container for all kinds; unused fields are zero. */
import {
  ByteListType,
  ByteVectorType,
  bytesEqual,
  ContainerType,
  UintNumberType,
  unreachable,
} from '@slipstream/primitives';
import type { BlockId, StateDigest } from './ids.ts';
import { epoch, height, ID_BYTES, view, ZERO_ID } from './ids.ts';
import { SIGNER_BITMAP_BYTES_MAX } from './limits.ts';
import { SUBJECT_KINDS, type Subject } from './subject.ts';

export const uint8 = new UintNumberType(1);
export const uint16 = new UintNumberType(2);
export const uint32 = new UintNumberType(4);
/** Decoding fails above 2^53 - 1. */
export const uint53 = new UintNumberType(8);
export const bytes32 = new ByteVectorType(ID_BYTES);

export const subjectType = new ContainerType({
  kind: uint8,
  epoch: uint32,
  view: uint53,
  height: uint53,
  blockId: bytes32,
  stateDigest: bytes32,
});

export interface SubjectWire {
  readonly kind: number;
  readonly epoch: number;
  readonly view: number;
  readonly height: number;
  readonly blockId: Uint8Array;
  readonly stateDigest: Uint8Array;
}

export function subjectToWire(subject: Subject): SubjectWire {
  return {
    kind: SUBJECT_KINDS.indexOf(subject.kind),
    epoch: subject.epoch,
    view: subject.view,
    height: subject.kind === 'certify' ? subject.height : 0,
    blockId: subject.kind === 'nullify' ? ZERO_ID : subject.blockId,
    stateDigest: subject.kind === 'certify' ? subject.stateDigest : ZERO_ID,
  };
}

/** Throws on an unknown kind or a nonzero unused field. */
export function subjectFromWire(wire: SubjectWire): Subject {
  const kind = SUBJECT_KINDS[wire.kind];
  if (kind === undefined) throw new RangeError(`unknown subject kind ${wire.kind}`);
  if (kind !== 'certify' && (wire.height !== 0 || !bytesEqual(wire.stateDigest, ZERO_ID))) {
    throw new RangeError(`${kind} has neither height nor state digest`);
  }
  const blockId = wire.blockId as BlockId;
  const at = { epoch: epoch(wire.epoch), view: view(wire.view) };
  switch (kind) {
    case 'nullify':
      if (!bytesEqual(blockId, ZERO_ID)) throw new RangeError('nullify has no block id');
      return { kind, ...at };
    case 'notarize':
    case 'finalize':
      return { kind, ...at, blockId };
    case 'certify':
      return { kind, ...at, height: height(wire.height), blockId, stateDigest: wire.stateDigest as StateDigest };
    default:
      return unreachable(kind, 'subject kind');
  }
}

/** Bit i (least significant first) is member i; no trailing zero byte, so each set has one form. */
export const signerBitmapType = new ByteListType(SIGNER_BITMAP_BYTES_MAX);

export function signersToBitmap(signers: readonly number[]): Uint8Array {
  const last = signers[signers.length - 1];
  const bitmap = new Uint8Array(last === undefined ? 0 : (last >> 3) + 1);
  let previous = -1;
  for (const signer of signers) {
    if (signer <= previous) throw new RangeError('signers are not in ascending order');
    previous = signer;
    bitmap[signer >> 3] = (bitmap[signer >> 3] as number) | (1 << (signer & 7));
  }
  return bitmap;
}

/** Ascending. Throws when the last byte is zero. */
export function bitmapToSigners(bitmap: Uint8Array): readonly number[] {
  if (bitmap.length > 0 && bitmap[bitmap.length - 1] === 0) throw new RangeError('bitmap has a trailing zero byte');
  const signers: number[] = [];
  for (let index = 0; index < bitmap.length * 8; index++) {
    if (((bitmap[index >> 3] as number) >> (index & 7)) & 1) signers.push(index);
  }
  return signers;
}

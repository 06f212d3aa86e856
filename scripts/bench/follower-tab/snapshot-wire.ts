/**
 * A snapshot between the bench's server and the tab: its head as JSON, its entries as bytes. Nodes serve none over REST.
 *
 *   entries = (keys u32 | bytes u32 | length of each key u8 | length of each value u32 | of each entry its key, then its value)*
 */
import type { EpochCommittees } from '@slipstream/client';
import type { WriteColumns } from '@slipstream/execution';
import { concatBytes, fail, fromHex, ok, type Result, to0x, uint32le } from '@slipstream/primitives';
import {
  type BlockJson,
  blockToJson,
  type CertificateJson,
  certificateFromJson,
  certificateToJson,
} from '@slipstream/schema';
import {
  type Block,
  type CertifiedState,
  checkCertifiedState,
  type DigestPreimage,
  digestPreimageCodec,
  type StateCertificate,
} from '@slipstream/types';
import { FollowerError } from './errors.ts';

export interface SnapshotHead {
  readonly block: BlockJson;
  /** From the block's up to the certified one: 0x and hexadecimal. */
  readonly preimages: readonly string[];
  readonly certificate: CertificateJson;
}

export function encodeHead(block: Block, { preimages, certificate }: CertifiedState): SnapshotHead {
  return {
    block: blockToJson(block),
    preimages: preimages.map((each) => to0x(digestPreimageCodec.encode(each))),
    certificate: certificateToJson(certificate),
  };
}

/** The preimage of the snapshot's block, if a quorum certified it. */
export function certifiedPreimage(
  head: SnapshotHead,
  committees: EpochCommittees,
): Result<DigestPreimage, { readonly message: string }> {
  const read = readState(head);
  if (!read.ok) return fail({ message: `malformed: ${read.error}` });
  const { subject } = read.value.certificate;
  const committee = committees.of(subject.epoch);
  if (committee === undefined) return fail({ message: `the committee of epoch ${subject.epoch} is not known` });
  const signature = checkCertifiedState(read.value, committees.genesisHash, committee);
  if (!signature.ok) return fail({ message: `the certified state does not hold: ${signature.error}` });
  if (!committees.aggregateHolds(signature.value)) return fail({ message: 'its signature does not hold' });
  return ok(read.value.preimages[0] as DigestPreimage);
}

/** It is foreign: its form is not certain. */
function readState({ preimages, certificate }: SnapshotHead): Result<CertifiedState, string> {
  try {
    const read = certificateFromJson(certificate);
    if (!read.ok) return read;
    if (read.value.subject.kind !== 'certify') return fail('it is no state certificate');
    const decoded = preimages.map((text) => {
      const preimage = digestPreimageCodec.decode(fromHex(text));
      if (!preimage.ok) throw new RangeError(preimage.error.message);
      return preimage.value;
    });
    return ok({ preimages: decoded, certificate: read.value as StateCertificate });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** Copies: each batch is valid until the next one. */
export function encodeEntries(batches: Iterable<WriteColumns>): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { bytes, keyBytes, valueBytes } of batches) {
    const lengths = new Uint8Array(4 * valueBytes.length);
    const view = new DataView(lengths.buffer);
    for (const [i, length] of valueBytes.entries()) view.setUint32(4 * i, length, true);
    parts.push(uint32le(keyBytes.length), uint32le(bytes.length), keyBytes.slice(), lengths, bytes.slice());
  }
  return concatBytes(...parts);
}

const HEADER_BYTES = 8;

/** Keys and values share the memory of `bytes`. Throws FollowerError `false-snapshot`. */
export function decodeEntries(bytes: Uint8Array): readonly WriteColumns[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const batches: WriteColumns[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < HEADER_BYTES) throw malformed(at);
    const [keys, contents] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const keysAt = at + HEADER_BYTES;
    const valuesAt = keysAt + keys;
    const contentsAt = valuesAt + 4 * keys;
    const end = contentsAt + contents;
    if (end > bytes.length) throw malformed(at);
    const keyBytes = bytes.subarray(keysAt, valuesAt);
    const valueBytes = Int32Array.from(keyBytes, (_, i) => view.getUint32(valuesAt + 4 * i, true));
    const sum = valueBytes.reduce((total, value, i) => total + (keyBytes[i] as number) + value, 0);
    if (valueBytes.some((length) => length < 0) || sum !== contents) throw malformed(at);
    batches.push({ bytes: bytes.subarray(contentsAt, end), keyBytes, valueBytes });
    at = end;
  }
  return batches;
}

function malformed(at: number): FollowerError {
  return new FollowerError('false-snapshot', `the entries have no form from byte ${at} on`, { at });
}

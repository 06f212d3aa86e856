/** Decoders of data from disk, and of state segments, which peers send too; with valid checksums. */

import { decodeOutcomes, encodeOutcomes } from '@slipstream/distilled';
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual, sha256 } from '@slipstream/primitives';
import { evidenceCodec, peerBlockCodec, tipCodec } from '../../packages/ledger/src/records.ts';
import {
  crc32c,
  encodeRecord,
  encodeSegmentHeader,
  RECORD_OVERHEAD_BYTES,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  scanRecords,
} from '../../packages/records/src/index.ts';
import {
  AT_BYTES,
  AT_CRC,
  CHECKSUM_BYTES,
  headerCrc,
  SEGMENT_HEADER_WORDS,
} from '../../packages/state/src/log/format.ts';
import {
  appendNullify,
  createSegmentWriter,
  moveRecord,
  sealSegment,
} from '../../packages/state/src/log/segment-writer.ts';
import { readSegment } from '../../packages/state/src/reading/segment-difference.ts';
import { codecDecoder, type Decoder } from './decoder.ts';
import * as sample from './samples.ts';

const checksum = sha256(sample.transactionBytes[0] as Uint8Array);

/** Header and rows. */
const HEADER_BYTES = SEGMENT_HEADER_WORDS * 4;

function stateSegment(): Uint8Array {
  const writer = createSegmentWriter(new Int32Array(256));
  const words = Int32Array.from({ length: 32 }, (_, at) => 7 * at);
  for (let at = 0; at < 3; at++) {
    moveRecord(writer, { words, at, keyBytes: 9, valueBytes: 4 + at, valueWords: words, valueAt: at });
  }
  appendNullify(writer, Int32Array.from([1, 4, 300]));
  sealSegment(writer, { batch: 5, previous: checksum, parent: checksum });
  return new Uint8Array(writer.words.buffer).slice(0, (writer.at + CHECKSUM_BYTES / 4) * 4);
}

const stateSegments: Decoder = {
  name: 'segment of the state',
  samples: [stateSegment()],
  judge(bytes) {
    const contents = readSegment(bytes);
    if (contents === undefined) return { taken: false, refusal: 'no segment' };
    const held = contents.writes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
    return held <= bytes.length ? { taken: true } : { taken: true, fault: `${held} bytes of ${bytes.length}` };
  },
  reseal(bytes) {
    if (bytes.length < 2 * CHECKSUM_BYTES + HEADER_BYTES || bytes.length % 4 !== 0) return bytes;
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const header = CHECKSUM_BYTES / 4;
    words[header + AT_BYTES] = bytes.length - CHECKSUM_BYTES;
    words[header + AT_CRC] = headerCrc(words, header);
    bytes.set(sha256(bytes.subarray(0, -CHECKSUM_BYTES)), bytes.length - CHECKSUM_BYTES);
    return bytes;
  },
};

const MAGIC = 0x5eed_1234;
const KIND = 2;

const records: Decoder = {
  name: 'records of a segment',
  samples: [
    concat(
      [1, 2, 3].map((sequence) =>
        encodeRecord({
          magic: MAGIC,
          sequence,
          durableSequence: 1,
          kindByte: KIND,
          payload: checksum.subarray(sequence),
        }),
      ),
    ),
  ],
  judge(bytes) {
    let read = 0;
    for (const found of scanRecords(bytes, 0, MAGIC)) {
      if (found.offset !== read || found.bytes < 1) return { taken: true, fault: `a gap at ${read}` };
      read += found.bytes;
    }
    return read === bytes.length
      ? { taken: true }
      : { taken: true, fault: `${read} bytes of ${bytes.length} looked at` };
  },
  /** The checksum of the first record. */
  reseal(bytes) {
    const length =
      bytes.length < RECORD_OVERHEAD_BYTES ? -1 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(21, true);
    const end = length + RECORD_OVERHEAD_BYTES - 4;
    if (length < 0 || end + 4 > bytes.length) return bytes;
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(end, crc32c(bytes, 0, end), true);
    return bytes;
  },
};

const segmentHeaders: Decoder = {
  name: 'header of a segment',
  samples: [
    encodeSegmentHeader({
      store: 'log',
      genesisHash: checksum,
      logId: checksum.subarray(0, 8),
      firstSequence: 9,
      recordMagic: MAGIC,
    }),
  ],
  judge(bytes) {
    const header = readSegmentHeader(bytes, 'file', 'log');
    if (header === undefined) return { taken: false, refusal: 'damaged' };
    const whole = bytes.subarray(0, SEGMENT_HEADER_BYTES);
    return bytesEqual(encodeSegmentHeader(header), whole)
      ? { taken: true }
      : { taken: true, fault: 'not its encoding' };
  },
};

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

const offence = { offender: 1 } as const;

const OUTCOMES = Uint8Array.of(0, 0, 0, 1, 0, 158, 158);
/** Of a batch of as many rows. */
const outcomes: Decoder = {
  name: 'outcomes of rows',
  samples: [encodeOutcomes(OUTCOMES)],
  judge(bytes) {
    const decoded = decodeOutcomes(bytes, OUTCOMES.length);
    if (!decoded.ok) return { taken: false, refusal: decoded.error };
    const same = bytesEqual(encodeOutcomes(decoded.value), bytes);
    return same ? { taken: true } : { taken: true, fault: 'not its encoding' };
  },
};

export const DECODERS_OF_DISK: readonly Decoder[] = [
  outcomes,
  stateSegments,
  records,
  segmentHeaders,
  codecDecoder(tipCodec, [
    {
      height: sample.block.height,
      blockId: sample.block.parentId,
      timestampMs: 7,
      earliestHeight: sample.block.height,
    },
  ]),
  codecDecoder(evidenceCodec, [
    { ...offence, type: 'votes', first: sample.votes[0] as never, second: sample.votes[2] as never },
    { ...offence, type: 'proposals', first: sample.proposals[0] as never, second: sample.proposals[1] as never },
  ]),
  codecDecoder(peerBlockCodec, [
    { peer: 'ab'.repeat(32) as PeerKey, reason: 'oversize', detail: 'a frame of 9 MB', atMs: 1_800_000_000_000 },
  ]),
];

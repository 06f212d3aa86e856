/** Pending records: appended and not yet passed to the disk, in one batch per segment. */
import type { Random } from '@slipstream/ports';
import {
  encodeRecord,
  newSegmentHeader,
  RECORD_OVERHEAD_BYTES,
  type RecordFields,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from '@slipstream/records';
import { RECORD_KIND_BYTES, type RecordKind } from './record-kinds.ts';

/** Records for one segment, in order. */
export interface Batch {
  /** Set when the batch opens a new segment. */
  readonly opens: SegmentHeader | undefined;
  readonly parts: Uint8Array[];
}

type RecordContents = Pick<RecordFields, 'sequence' | 'durableSequence' | 'payload'>;

export class PendingRecords {
  readonly #random: Random;
  readonly #segmentBytesMax: number;
  /** Segment of the next record, and its size once all batches are written. */
  #header: SegmentHeader;
  #plannedBytes: number;
  #batches: Batch[] = [];
  #bytes = 0;

  constructor(random: Random, segmentBytesMax: number, last: { readonly header: SegmentHeader; fileBytes: number }) {
    this.#random = random;
    this.#segmentBytesMax = segmentBytesMax;
    this.#header = last.header;
    this.#plannedBytes = last.fileBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  add(kind: RecordKind, { sequence, durableSequence, payload }: RecordContents): void {
    const bytes = RECORD_OVERHEAD_BYTES + payload.length;
    const batch = this.#batchFor(bytes, sequence);
    const fields = { magic: this.#header.recordMagic, kindByte: RECORD_KIND_BYTES[kind] };
    batch.parts.push(encodeRecord({ ...fields, sequence, durableSequence, payload }));
    this.#plannedBytes += bytes;
    this.#bytes += bytes;
  }

  /** Removes and returns all batches. */
  take(): Batch[] {
    const batches = this.#batches;
    this.#batches = [];
    this.#bytes = 0;
    return batches;
  }

  /** The open batch, or one that begins a new segment when the record does not fit. */
  #batchFor(bytes: number, sequence: number): Batch {
    const open = this.#batches.at(-1);
    const rotate = this.#plannedBytes + bytes > this.#segmentBytesMax && this.#plannedBytes > SEGMENT_HEADER_BYTES;
    if (open !== undefined && !rotate) return open;
    if (rotate) {
      this.#header = newSegmentHeader(this.#random, { ...this.#header, firstSequence: sequence });
      this.#plannedBytes = SEGMENT_HEADER_BYTES;
    }
    const batch: Batch = { opens: rotate ? this.#header : undefined, parts: [] };
    this.#batches.push(batch);
    return batch;
  }
}

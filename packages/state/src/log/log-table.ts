/** Log table: what decides the next batch's bytes. Arrays of numbers, because every prepared batch carries a copy. */
import { FILE_HEADER_BYTES } from './format.ts';

export interface LogTable {
  /** Batch that created the log's file; -1 before the first. */
  readonly file: Float64Array;
  readonly bytes: Float64Array;
  /** Bytes of live Puts. */
  readonly live: Float64Array;
  /** Number of Puts, live or dead: the next ordinal. */
  readonly puts: Float64Array;
  readonly tip: (Uint8Array | undefined)[];
}

export function createLogTable(logs: number): LogTable {
  return {
    file: new Float64Array(logs).fill(-1),
    bytes: new Float64Array(logs),
    live: new Float64Array(logs),
    puts: new Float64Array(logs),
    tip: new Array<Uint8Array | undefined>(logs).fill(undefined),
  };
}

export function copyLogTable({ file, bytes, live, puts, tip }: LogTable): LogTable {
  return { file: file.slice(), bytes: bytes.slice(), live: live.slice(), puts: puts.slice(), tip: tip.slice() };
}

export function beginFile(table: LogTable, slot: number, file: number, headerChecksum: Uint8Array): void {
  table.file[slot] = file;
  table.bytes[slot] = FILE_HEADER_BYTES;
  table.live[slot] = 0;
  table.puts[slot] = 0;
  table.tip[slot] = headerChecksum;
}

/** The log's newest batch up to `tip`, or -1 before its first. */
export function lastBatchOf(slot: number, tip: number, history: number): number {
  return slot > tip ? -1 : tip - ((tip - slot) % (history + 1));
}

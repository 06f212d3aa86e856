/**
 * Reads the chunks of committed blocks from the chunk files of a running node, which no route of its API serves. Its index is locked by the node, so the
 * files are read from where the last reading ended.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { DATA } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import { toHex } from '@slipstream/primitives';
import { listSegments, readSegmentHeader, SEGMENT_HEADER_BYTES, scanRecords } from '@slipstream/records';
import { ID_BYTES } from '@slipstream/types';

export interface ChunkTail {
  /** By hexadecimal id. Waits for one that is written soon; undefined: none was. */
  get(id: string): Promise<Uint8Array | undefined>;
}

interface Place {
  readonly magic: number;
  /** All records before it were read. */
  offset: number;
}

const STORE = 'chunk files';
const CHUNKS_MAX = 4_096;
const POLL_MS = 5;
const WAIT_MS_MAX = 5_000;

/** `folder`: the data folder of a node. */
export function followChunkFiles(folder: string): ChunkTail {
  const disk = createDisk({ root: folder });
  const places = new Map<string, Place>();
  const chunks = new Map<string, Uint8Array>();
  let reading: Promise<void> | undefined;

  async function readMore(): Promise<void> {
    for (const { path } of await listSegments(disk, DATA.chunkFiles, STORE)) await readSegment(path);
  }

  async function readSegment(path: string): Promise<void> {
    const size = (await disk.size(path)) ?? 0;
    if (size <= (places.get(path)?.offset ?? SEGMENT_HEADER_BYTES)) return;
    const file = await disk.open(path);
    try {
      const header = readSegmentHeader(await file.read(0, SEGMENT_HEADER_BYTES), path, STORE);
      if (header === undefined) return;
      const place = places.get(path) ?? { magic: header.recordMagic, offset: SEGMENT_HEADER_BYTES };
      places.set(path, place);
      const bytes = await file.read(place.offset, size - place.offset);
      place.offset += takeRecords(bytes, place.magic);
    } finally {
      await file.close();
    }
  }

  /** Returns the bytes of whole records: the last may be half written. */
  function takeRecords(bytes: Uint8Array, magic: number): number {
    let end = 0;
    for (const record of scanRecords(bytes, 0, magic)) {
      if (record.type === 'damage') break;
      chunks.set(toHex(record.payload.subarray(0, ID_BYTES)), record.payload.subarray(ID_BYTES));
      end = record.offset + record.bytes;
    }
    for (const oldest of chunks.keys()) {
      if (chunks.size <= CHUNKS_MAX) break;
      chunks.delete(oldest);
    }
    return end;
  }

  return {
    async get(id) {
      const deadline = performance.now() + WAIT_MS_MAX;
      for (;;) {
        const found = chunks.get(id);
        if (found !== undefined || performance.now() > deadline) return found;
        reading ??= readMore().finally(() => {
          reading = undefined;
        });
        await reading;
        if (!chunks.has(id)) await sleep(POLL_MS);
      }
    },
  };
}

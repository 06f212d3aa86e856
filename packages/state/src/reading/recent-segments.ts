/**
 * Serves segments of the newest batches, so that nodes whose checksums differ can compare them (segment-difference.ts). With the 32 bytes
 * before it, a segment can be checked without its file.
 */
import { CHECKSUM_BYTES } from '../log/format.ts';
import type { LogFiles } from '../log/log-files.ts';
import type { Overlay } from '../overlay/overlay.ts';
import type { Chain } from '../parameters.ts';

/** Where a committed segment is. */
interface Place {
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface RecentSegments {
  committed(overlay: Overlay): void;
  ofPrepared(overlay: Overlay): Uint8Array;
  /** Undefined for an older block. */
  ofCommitted(block: string): Promise<Uint8Array | undefined>;
}

/** A file is replaced at the earliest history + 1 batches after its last one, so the newest `history` segments stay. */
export function createRecentSegments(files: LogFiles, { parameters: { history } }: Chain): RecentSegments {
  const places = new Map<string, Place>();

  async function read({ file, offset, bytes }: Place): Promise<Uint8Array> {
    return (await files.get(file)).read(offset - CHECKSUM_BYTES, CHECKSUM_BYTES + bytes);
  }

  return {
    committed({ block, logs, slot, offset, bytes }) {
      places.set(block, { file: logs.file[slot] as number, offset, bytes: bytes.length });
      if (places.size > history) places.delete(places.keys().next().value as string);
    },
    // From memory: the previous segment may not be on the disk yet.
    ofPrepared: ({ words, bytes }) => new Uint8Array(words.buffer, 0, CHECKSUM_BYTES + bytes.length).slice(),
    async ofCommitted(block) {
      const place = places.get(block);
      return place && (await read(place));
    },
  };
}

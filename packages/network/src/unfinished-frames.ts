/**
 * Memory of begun frames, over all peers that are not validators: any key may be one, and nine bytes begin a frame of megabytes.
 *
 *   first bytes of a frame --> begin --more than the maximum?--> the connection of the oldest frame closes, until there is room
 *   last byte, or the end of its connection --> end
 *
 * An honest frame ends within its transfer; one that is left unfinished becomes the oldest.
 */
export interface UnfinishedFrames {
  /** `drop` closes the frame's connection. The result ends the frame, and may be called again. */
  begin(bytes: number, drop: () => void): () => void;
}

interface UnfinishedFrame {
  readonly bytes: number;
  readonly drop: () => void;
}

/** `dropped` is called once per closed connection. */
export function createUnfinishedFrames(bytesMax: number, dropped: () => void): UnfinishedFrames {
  /** Oldest first. */
  const frames = new Set<UnfinishedFrame>();
  let total = 0;

  function end(frame: UnfinishedFrame): void {
    if (frames.delete(frame)) total -= frame.bytes;
  }

  return {
    begin(bytes, drop) {
      const frame = { bytes, drop };
      frames.add(frame);
      total += bytes;
      while (total > bytesMax) {
        const [oldest] = frames as Iterable<UnfinishedFrame>;
        if (oldest === undefined) break;
        end(oldest);
        dropped();
        oldest.drop();
      }
      return () => end(frame);
    },
  };
}

/**
 * A message is a small plain head, and byte strings in one transferred buffer:
 *
 *   buffer:  count u32 | length u32 x count | bytes of all          (little-endian)
 *
 * Structured clone copies the whole buffer behind a view, and is slow per object.
 */
import { assert } from '@slipstream/primitives';

/** A few numbers and names; the rest goes as bytes. */
export type Head =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Head[]
  | { readonly [name: string]: Head };

export interface ThreadMessage<H extends Head = Head> {
  readonly head: H;
  /** On arrival they stand in one buffer that no other code holds. */
  readonly bytes: readonly Uint8Array[];
}

/** A larger message is a defect of the sender, not of a peer. */
export const MESSAGE_BYTES_MAX = 1024 * 1024 * 1024;

const WORD = 4;

export function pack(bytes: readonly Uint8Array[]): ArrayBuffer | undefined {
  if (bytes.length === 0) return undefined;
  const headBytes = WORD * (1 + bytes.length);
  const total = headBytes + bytes.reduce((sum, each) => sum + each.length, 0);
  assert(total <= MESSAGE_BYTES_MAX, 'a message between threads is below its maximum');
  const buffer = new ArrayBuffer(total);
  const view = new DataView(buffer);
  const target = new Uint8Array(buffer);
  view.setUint32(0, bytes.length, true);
  let at = headBytes;
  for (const [i, each] of bytes.entries()) {
    view.setUint32(WORD * (1 + i), each.length, true);
    target.set(each, at);
    at += each.length;
  }
  return buffer;
}

/** The byte strings share the buffer's memory. */
export function unpack(buffer: ArrayBuffer | undefined): readonly Uint8Array[] {
  if (buffer === undefined) return [];
  const view = new DataView(buffer);
  const count = view.getUint32(0, true);
  let at = WORD * (1 + count);
  return Array.from({ length: count }, (_, i) => {
    const length = view.getUint32(WORD * (1 + i), true);
    at += length;
    return new Uint8Array(buffer, at - length, length);
  });
}

export function messageOf<H extends Head>(head: H, bytes: readonly Uint8Array[] = []): ThreadMessage<H> {
  return { head, bytes };
}

/** A list of none or one, because undefined cannot be packed. */
export function optional(bytes: Uint8Array | undefined): readonly Uint8Array[] {
  return bytes === undefined ? [] : [bytes];
}

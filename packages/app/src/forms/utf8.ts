/** UTF-8, strict in both directions. Encoders of the platform are absent from an application's realm. */
import { badBytes } from './errors.ts';

/** Undefined for a lone surrogate, which UTF-8 cannot have. */
export function utf8Size(text: string): number | undefined {
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) ?? 0;
    if (isSurrogate(point)) return undefined;
    size += sizeOfPoint(point);
    if (point > 0xffff) i += 1;
  }
  return size;
}

/** Of text without lone surrogates. @returns where it ends */
export function writeUtf8(bytes: Uint8Array, start: number, text: string): number {
  let at = start;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) ?? 0;
    if (point > 0xffff) i += 1;
    const size = sizeOfPoint(point);
    bytes[at] = size === 1 ? point : (LEADS[size] ?? 0) | (point >>> (6 * (size - 1)));
    for (let k = 1; k < size; k++) bytes[at + k] = 0x80 | ((point >>> (6 * (size - 1 - k))) & 0x3f);
    at += size;
  }
  return at;
}

/** Throws `bad-bytes` for what no text encodes to. */
export function readUtf8(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; ) {
    const lead = bytes[at] ?? 0;
    const size = sizeOfLead(lead);
    if (size === 0 || at + size > end) throw badBytes('text is not UTF-8');
    let point = size === 1 ? lead : lead & (0x7f >> size);
    for (let k = 1; k < size; k++) {
      const next = bytes[at + k] ?? 0;
      if (next >> 6 !== 0b10) throw badBytes('text is not UTF-8');
      point = (point << 6) | (next & 0x3f);
    }
    if (point > POINT_MAX || isSurrogate(point) || sizeOfPoint(point) !== size) throw badBytes('text is not UTF-8');
    text += String.fromCodePoint(point);
    at += size;
  }
  return text;
}

const POINT_MAX = 0x10ffff;
/** First bytes, by size. */
const LEADS: readonly number[] = [0, 0, 0xc0, 0xe0, 0xf0];

function isSurrogate(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}

function sizeOfPoint(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

function sizeOfLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >> 5 === 0b110) return 2;
  if (lead >> 4 === 0b1110) return 3;
  return lead >> 3 === 0b11110 ? 4 : 0;
}

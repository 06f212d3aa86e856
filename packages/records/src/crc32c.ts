/**
 * CRC-32C (Castagnoli), eight bytes at a time: the checksum of every record and every sealed file.
 *
 * Polynomial 0x1EDC6F41, bits reflected (0x82F63B78); the register begins with all ones and is inverted at the end.
 * Table k holds the remainder of a byte followed by k zero bytes, so eight look-ups process eight bytes.
 * Detects every burst of up to 32 bits, but no deliberate collision.
 *
 * Source: RFC 3720, appendix B.4 (test vectors); Kounavis and Berry, "A Systematic Approach to Building High Performance
 * Software-based CRC Generators", 2005 (slicing).
 */
const POLYNOMIAL_REFLECTED = 0x82f63b78;
const SLICES = 8;

const TABLES = buildTables();

/** Checksum of bytes[from, to), as an unsigned 32-bit integer. `before` is the checksum of the preceding bytes. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length, before = 0): number {
  const tables = TABLES;
  let crc = ~before;
  let at = from;
  for (const end = to - (SLICES - 1); at < end; at += SLICES) {
    const low =
      crc ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    crc =
      (tables[0x700 | (low & 0xff)] as number) ^
      (tables[0x600 | ((low >>> 8) & 0xff)] as number) ^
      (tables[0x500 | ((low >>> 16) & 0xff)] as number) ^
      (tables[0x400 | (low >>> 24)] as number) ^
      (tables[0x300 | (bytes[at + 4] as number)] as number) ^
      (tables[0x200 | (bytes[at + 5] as number)] as number) ^
      (tables[0x100 | (bytes[at + 6] as number)] as number) ^
      (tables[bytes[at + 7] as number] as number);
  }
  for (; at < to; at++) crc = (crc >>> 8) ^ (tables[(crc ^ (bytes[at] as number)) & 0xff] as number);
  return ~crc >>> 0;
}

/** Table k begins at 256 * k. */
function buildTables(): Int32Array {
  const tables = new Int32Array(256 * SLICES);
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL_REFLECTED : 0);
    tables[byte] = remainder;
  }
  for (let i = 256; i < tables.length; i++) {
    const shorter = tables[i - 256] as number;
    tables[i] = (shorter >>> 8) ^ (tables[shorter & 0xff] as number);
  }
  return tables;
}

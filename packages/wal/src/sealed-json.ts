/** Sealed JSON: strings and integers with a checksum, in small files that people read and copy. */
import { sha256, toHex, utf8 } from '@slipstream/primitives';

type SealedFields = Readonly<Record<string, string | number>>;

/** One field per line, the checksum last. */
export function sealJson(fields: SealedFields): string {
  return `${JSON.stringify({ ...fields, checksum: checksumOf(fields) }, undefined, 2)}\n`;
}

/** Returns the fields without the checksum; undefined when the text is malformed or the checksum differs. */
export function openSealedJson(text: string): SealedFields | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const { checksum, ...fields } = parsed as Record<string, unknown>;
  if (!Object.values(fields).every((value) => typeof value === 'string' || Number.isSafeInteger(value)))
    return undefined;
  const sealed = fields as SealedFields;
  return checksum === checksumOf(sealed) ? sealed : undefined;
}

function checksumOf(fields: SealedFields): string {
  const ordered = Object.keys(fields)
    .sort()
    .map((name) => [name, fields[name]]);
  return toHex(sha256(utf8(JSON.stringify(ordered))));
}

/** An integer from 0 on, else undefined. */
export function countField(fields: SealedFields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

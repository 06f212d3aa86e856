/** SSZ containers: parts of fixed size in order, with an offset of four bytes in the place of each other part, which follow behind. */
import { badBytes, badJson, badValue, FormError } from './errors.ts';
import { checkBytesMax, type Encoding, type Json } from './form.ts';
import { readUint32, writeUint32 } from './integers.ts';

const OFFSET_BYTES = 4;

export interface Layout {
  readonly names: readonly string[];
  readonly forms: readonly Encoding<unknown>[];
  /** Of the part with the offsets. */
  readonly headBytes: number;
  readonly fixedBytes: number | undefined;
  readonly bytesMax: number;
}

type Values = { readonly [name: string]: unknown };

export function layoutOf(fields: { readonly [name: string]: Encoding<unknown> }): Layout {
  const names = Object.keys(fields);
  const forms = Object.values(fields);
  let headBytes = 0;
  let tailBytesMax = 0;
  for (const { fixedBytes, bytesMax } of forms) {
    headBytes += fixedBytes ?? OFFSET_BYTES;
    if (fixedBytes === undefined) tailBytesMax += bytesMax;
  }
  return {
    names,
    forms,
    headBytes,
    fixedBytes: forms.every(({ fixedBytes }) => fixedBytes !== undefined) ? headBytes : undefined,
    bytesMax: checkBytesMax(headBytes + tailBytesMax),
  };
}

export function sizeOfFields({ names, forms, headBytes, fixedBytes }: Layout, values: Values): number {
  if (typeof values !== 'object' || values === null) throw badValue(values, 'an object with the fields of its form');
  if (fixedBytes !== undefined) return fixedBytes;
  let size = headBytes;
  for (let i = 0; i < forms.length; i++) {
    const form = formAt(forms, i);
    if (form.fixedBytes === undefined) size += form.sizeOf(values[nameAt(names, i)]);
  }
  return size;
}

/** @returns where they end */
export function writeFields(
  { names, forms, headBytes }: Layout,
  bytes: Uint8Array,
  at: number,
  values: Values,
): number {
  if (typeof values !== 'object' || values === null) throw badValue(values, 'an object with the fields of its form');
  let head = at;
  let tail = at + headBytes;
  for (let i = 0; i < forms.length; i++) {
    const form = formAt(forms, i);
    const value = values[nameAt(names, i)];
    if (form.fixedBytes !== undefined) {
      head = form.write(bytes, head, value);
    } else {
      writeUint32(bytes, head, tail - at);
      head += OFFSET_BYTES;
      tail = form.write(bytes, tail, value);
    }
  }
  return tail;
}

/** @param values what is read is added to it */
export function readFields(
  layout: Layout,
  bytes: Uint8Array,
  at: number,
  end: number,
  values: Record<string, unknown> = {},
): Values {
  const { names, forms, headBytes, fixedBytes } = layout;
  const size = end - at;
  if (size < headBytes || (fixedBytes !== undefined && size > fixedBytes))
    throw badBytes(`${size} bytes where fields have ${headBytes}`);
  let head = at;
  /** The part behind an offset, which ends where the next one begins. */
  let open: number | undefined;
  let from = at + headBytes;
  for (let i = 0; i < forms.length; i++) {
    const form = formAt(forms, i);
    if (form.fixedBytes !== undefined) {
      values[nameAt(names, i)] = form.read(bytes, head, head + form.fixedBytes);
      head += form.fixedBytes;
      continue;
    }
    const start = at + readUint32(bytes, head);
    head += OFFSET_BYTES;
    if (open === undefined ? start !== from : start < from || start > end) throw badBytes('an offset is out of order');
    if (open !== undefined) values[nameAt(names, open)] = formAt(forms, open).read(bytes, from, start);
    open = i;
    from = start;
  }
  if (open !== undefined) values[nameAt(names, open)] = formAt(forms, open).read(bytes, from, end);
  return values;
}

export function fieldsToJson({ names, forms }: Layout, values: Values): { [name: string]: Json } {
  const json: { [name: string]: Json } = {};
  names.forEach((name, i) => {
    json[name] = formAt(forms, i).toJson(values[name]);
  });
  return json;
}

/** @param others properties that are no fields */
export function fieldsFromJson(layout: Layout, json: unknown, path: string, others: readonly string[] = []): Values {
  const { names, forms } = layout;
  const given = objectFromJson(json, path);
  for (const name of Object.keys(given)) {
    if (!names.includes(name) && !others.includes(name))
      throw new FormError('bad-json', 'there is no such field', `${path}.${name}`);
  }
  const values: Record<string, unknown> = {};
  names.forEach((name, i) => {
    values[name] = formAt(forms, i).fromJson(given[name], `${path}.${name}`);
  });
  return values;
}

export function objectFromJson(json: unknown, path: string): Values {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw badJson(json, 'an object', path);
  return json as Values;
}

function formAt(forms: readonly Encoding<unknown>[], i: number): Encoding<unknown> {
  return forms[i] as Encoding<unknown>;
}

function nameAt(names: readonly string[], i: number): string {
  return names[i] as string;
}

/** Bytes and JSON of described fields. Encodings of applications (packages/app), but for what scalars.ts has. */
import * as app from '@slipstream/app/forms';
import { badBytes, badJson, badValue, type Encoding, FormError, type Json } from '@slipstream/app/forms';
import { fromUtf8, utf8 } from '@slipstream/primitives';
import { isNameOfApplication } from '../actions/call.ts';
import { type Change, type ChangeWire, changeFromWire, changeToWire, changeType } from '../epochs/changes.ts';
import { type ChangeJson, changeFromJson, changeToJson } from '../epochs/changes-json.ts';
import { type Handover, handoverCodec } from '../epochs/handover.ts';
import { ID_BYTES } from '../ids.ts';
import { isNodeAddress, NODE_ADDRESS } from '../node-place.ts';
import type { Description, FieldDescription, TextRule } from './description.ts';
import { accountForm, bytesForm, fixedBytesForm, peerKeyForm, scopeForm } from './scalars.ts';

type Layout = ReturnType<typeof app.layoutOf>;

export function layoutOfFields(fields: readonly FieldDescription[]): Layout {
  return app.layoutOf(Object.fromEntries(fields.map(({ name, of }) => [name, formOf(of)])));
}

function recordOf(fields: readonly FieldDescription[]): Encoding<{ readonly [name: string]: unknown }> {
  const layout = layoutOfFields(fields);
  return {
    fixedBytes: layout.fixedBytes,
    bytesMax: layout.bytesMax,
    depth: 0,
    sizeOf: (value) => app.sizeOfFields(layout, value),
    write: (bytes, at, value) => app.writeFields(layout, bytes, at, value),
    read: (bytes, at, end) => app.readFields(layout, bytes, at, end),
    toJson: (value) => app.fieldsToJson(layout, value),
    fromJson: (json, path) => app.fieldsFromJson(layout, json, path),
  };
}

function formOf(of: Description): Encoding<unknown> {
  switch (of.form) {
    case 'u16':
      return app.u16;
    case 'u32':
      return app.u32;
    case 'timeMs':
      return app.timeMs;
    case 'amount':
      return app.amount;
    case 'account':
      return accountForm;
    case 'id':
      return fixedBytesForm(ID_BYTES);
    case 'peerKey':
      return peerKeyForm;
    case 'fixedBytes':
      return fixedBytesForm(of.bytes);
    case 'bytes':
      return bytesForm(of.bytesMax);
    case 'text':
      return textForm(of);
    case 'oneOf':
      return oneOfForm(of.names);
    case 'scope':
      return scopeForm;
    case 'list':
      return listForm(formOf(of.of), of);
    case 'record':
      return recordOf(of.fields);
    case 'handover':
      return handoverForm(bytesForm(of.bytesMax));
    case 'change':
      return createChangeForm();
  }
}

const TEXT_RULES: { readonly [R in TextRule]: { readonly accepts: (text: string) => boolean; readonly is: string } } = {
  application: { accepts: isNameOfApplication, is: "an application's name of a-z, 0-9 and -" },
  nodeAddress: { accepts: isNodeAddress, is: NODE_ADDRESS },
};

function textForm({ bytesMin, bytesMax, rule }: Extract<Description, { readonly form: 'text' }>): Encoding<string> {
  const { accepts, is } = rule ? TEXT_RULES[rule] : { accepts: () => true, is: undefined };
  const expected = is ?? `text of ${bytesMin} to ${bytesMax} bytes in UTF-8`;
  const isOne = (text: string, size: number) => size >= bytesMin && size <= bytesMax && accepts(text);
  return {
    fixedBytes: undefined,
    bytesMax,
    depth: 0,
    sizeOf(value) {
      const size = utf8(value).length;
      if (size > bytesMax) throw badValue(value, expected);
      return size;
    },
    write(target, at, value) {
      const encoded = utf8(value);
      target.set(encoded, at);
      return at + encoded.length;
    },
    read(source, at, end) {
      const value = fromUtf8(source.subarray(at, end));
      // A mark of the order of bytes is dropped.
      if (utf8(value).length !== end - at || !isOne(value, end - at)) throw badBytes(`a text is not ${expected}`);
      return value;
    },
    toJson: (value) => value,
    fromJson(json, path) {
      const encoded = typeof json === 'string' && json.length <= bytesMax ? utf8(json) : undefined;
      if (encoded === undefined || fromUtf8(encoded) !== json || !isOne(json, encoded.length))
        throw badJson(json, expected, path);
      return json;
    },
  };
}

function oneOfForm(names: readonly string[]): Encoding<string> {
  const expected = `one of ${names.join(', ')}`;
  return {
    fixedBytes: 1,
    bytesMax: 1,
    depth: 0,
    sizeOf: () => 1,
    write(bytes, at, value) {
      const place = names.indexOf(value);
      if (place < 0) throw badValue(value, expected);
      bytes[at] = place;
      return at + 1;
    },
    read(bytes, at) {
      const name = names[bytes[at] as number];
      if (name === undefined) throw badBytes(`${bytes[at]} is none of ${names.length} names`);
      return name;
    },
    toJson: (value) => value,
    fromJson(json, path) {
      if (typeof json !== 'string' || !names.includes(json)) throw badJson(json, expected, path);
      return json;
    },
  };
}

function listForm(
  of: Encoding<unknown>,
  { itemsMin, itemsMax }: Extract<Description, { readonly form: 'list' }>,
): Encoding<readonly unknown[]> {
  const form = app.listOf(of, itemsMax);
  return {
    ...form,
    read(bytes, at, end) {
      const items = form.read(bytes, at, end);
      if (items.length < itemsMin) throw badBytes(`a list of ${items.length} items, at least ${itemsMin}`);
      return items;
    },
    fromJson(json, path) {
      if (Array.isArray(json) && json.length < itemsMin)
        throw badJson(json, `a list of ${itemsMin} to ${itemsMax} items`, path);
      return form.fromJson(json, path);
    },
  };
}

function handoverForm(serialized: Encoding<Uint8Array>): Encoding<Handover> {
  return {
    ...serialized,
    sizeOf: (value) => serialized.sizeOf(handoverCodec.encode(value)),
    write: (target, at, value) => serialized.write(target, at, handoverCodec.encode(value)),
    read(source, at, end) {
      const read = handoverCodec.decode(serialized.read(source, at, end));
      if (!read.ok) throw badBytes(read.error.message);
      return read.value;
    },
    toJson: (value) => serialized.toJson(handoverCodec.encode(value)),
    fromJson(json, path) {
      const read = handoverCodec.decode(serialized.fromJson(json, path));
      if (!read.ok) throw new FormError('bad-json', read.error.message, path);
      return read.value;
    },
  };
}

function createChangeForm(): Encoding<Change> {
  const tagged = app.layoutOf({ tag: app.u8, body: bytesForm(changeType.fields.body.limitBytes) });
  return {
    fixedBytes: undefined,
    bytesMax: tagged.bytesMax,
    depth: 1,
    sizeOf: (value) => app.sizeOfFields(tagged, { ...changeToWire(value) }),
    write: (target, at, value) => app.writeFields(tagged, target, at, { ...changeToWire(value) }),
    read: (source, at, end) =>
      refusing(() => changeFromWire(app.readFields(tagged, source, at, end) as unknown as ChangeWire), badBytes),
    toJson: (value) => changeToJson(value) as unknown as Json,
    fromJson(json, path) {
      app.objectFromJson(json, path);
      return refusing(
        () => changeFromJson(json as ChangeJson),
        (reason) => new FormError('bad-json', reason, path),
      );
    },
  };
}

/** Changes are refused with RangeErrors. */
function refusing<T>(read: () => T, refusal: (reason: string) => FormError): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof FormError) throw error;
    throw refusal(error instanceof Error ? error.message : String(error));
  }
}

/** One of some names, a value or nothing, one of some records. */
import { describe } from './describe.ts';
import { badBytes, badDefinition, badJson, badValue } from './errors.ts';
import {
  fieldsFromJson,
  fieldsToJson,
  type Layout,
  layoutOf,
  objectFromJson,
  readFields,
  sizeOfFields,
  writeFields,
} from './fields.ts';
import { checkBytesMax, depthAbove, type Fields, type Form, type KeyForm, type RecordOf, readAll } from './form.ts';
import { take } from './integers.ts';
import { checkLabels, checkName } from './names.ts';

const NAMES_MAX = 256;
/** SSZ limits unions to so many. */
const CASES_MAX = 128;

/** One of the names. One byte: the place in the list, so names are only ever appended. */
export function oneOf<const N extends readonly string[]>(...names: N): KeyForm<N[number]> {
  checkLabels(names, NAMES_MAX);
  const expected = `one of ${names.join(', ')}`;
  const write = (bytes: Uint8Array, at: number, value: string) => {
    const place = names.indexOf(value);
    if (place < 0) throw badValue(value, expected);
    bytes[at] = place;
    return at + 1;
  };
  const read = (bytes: Uint8Array, at: number): N[number] => {
    const name = names[bytes[at] ?? NAMES_MAX];
    if (name === undefined) throw badBytes(`byte ${bytes[at]} is none of ${names.length} names`);
    return name;
  };
  return {
    description: { form: 'oneOf', names },
    fixedBytes: 1,
    bytesMax: 1,
    depth: 0,
    sizeOf: () => 1,
    write,
    read,
    toJson: (value) => value,
    fromJson(json, path) {
      const name = typeof json === 'string' ? names.find((each) => each === json) : undefined;
      if (name === undefined) throw badJson(json, expected, path);
      return name;
    },
    keyFixedBytes: 1,
    keyBytesMax: 1,
    keySizeOf: () => 1,
    writeKey: write,
    readKey: (cursor) => read(cursor.bytes, take(cursor, 1)),
  };
}

/** A value or undefined. In JSON null or absent. */
export function option<T>(of: Form<T>): Form<T | undefined> {
  if (of.description.form === 'option') throw badDefinition('an option of an option: JSON has one null');
  return {
    description: { form: 'option', of: of.description },
    fixedBytes: undefined,
    bytesMax: checkBytesMax(1 + of.bytesMax),
    depth: depthAbove([of]),
    sizeOf: (value) => (value === undefined ? 1 : 1 + of.sizeOf(value)),
    write(bytes, at, value) {
      bytes[at] = value === undefined ? 0 : 1;
      return value === undefined ? at + 1 : of.write(bytes, at + 1, value);
    },
    read(bytes, at, end) {
      const selector = at < end ? bytes[at] : undefined;
      if (selector === 1) return readAll(of, bytes, at + 1, end);
      if (selector !== 0 || end - at !== 1) throw badBytes('an option is 0, or 1 and a value');
      return undefined;
    },
    toJson: (value) => (value === undefined ? null : of.toJson(value)),
    fromJson: (json, path) => (json === null || json === undefined ? undefined : of.fromJson(json, path)),
  };
}

type Cases = { readonly [kind: string]: Fields };
type ChoiceOf<C extends Cases> = { readonly [K in keyof C]: { readonly kind: K } & RecordOf<C[K]> }[keyof C];

/** One of some records, named by `kind`. Its number is the place in the list, so cases are only ever appended. */
export function choice<C extends Cases>(cases: C): Form<ChoiceOf<C>> {
  const kinds = Object.keys(cases);
  if (kinds.length === 0 || kinds.length > CASES_MAX) throw badDefinition(`a choice has 1 to ${CASES_MAX} cases`);
  for (const kind of kinds) checkName(kind, 'a case of a choice');
  const described = Object.entries(cases).map(([name, fields]) => ({
    name,
    fields: describe(fields, `choice "${name}"`),
  }));
  const layouts = Object.values(cases).map(layoutOf);
  if (layouts.some(({ names }) => names.includes('kind'))) throw badDefinition('a field of a choice may not be "kind"');
  const expected = `a kind of ${kinds.join(', ')}`;
  const placeOf = (value: { readonly kind: PropertyKey }) => {
    const place = typeof value === 'object' && value !== null ? kinds.indexOf(String(value.kind)) : -1;
    if (place < 0) throw badValue(value, `an object with ${expected}`);
    return place;
  };
  const layoutAt = (place: number) => layouts[place] as Layout;
  return {
    description: { form: 'choice', cases: described },
    fixedBytes: undefined,
    bytesMax: checkBytesMax(1 + Math.max(...layouts.map(({ bytesMax }) => bytesMax))),
    depth: depthAbove(layouts.flatMap(({ forms }) => forms)),
    sizeOf: (value) => 1 + sizeOfFields(layoutAt(placeOf(value)), value),
    write(bytes, at, value) {
      const place = placeOf(value);
      bytes[at] = place;
      return writeFields(layoutAt(place), bytes, at + 1, value);
    },
    read(bytes, at, end) {
      const place = at < end ? bytes[at] : undefined;
      const kind = place === undefined ? undefined : kinds[place];
      if (place === undefined || kind === undefined) throw badBytes(`a choice is none of ${kinds.length} cases`);
      return readFields(layoutAt(place), bytes, at + 1, end, { kind }) as ChoiceOf<C>;
    },
    toJson(value) {
      const place = placeOf(value);
      return { kind: kinds[place] ?? '', ...fieldsToJson(layoutAt(place), value) };
    },
    fromJson(json, path) {
      const { kind } = objectFromJson(json, path);
      const place = typeof kind === 'string' ? kinds.indexOf(kind) : -1;
      if (place < 0) throw badJson(kind, expected, `${path}.kind`);
      return { kind, ...fieldsFromJson(layoutAt(place), json, path, ['kind']) } as ChoiceOf<C>;
    },
  };
}

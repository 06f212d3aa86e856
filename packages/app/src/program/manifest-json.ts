/**
 * JSON of an application's inputs, events, answers and entries, from its manifest alone: no code of the application runs.
 * Errors are `FormError`s: `bad-json` with a path, `bad-bytes`; `RangeError` for a number or name that the manifest lacks.
 */
import type { FormDescription } from '../forms/description.ts';
import { badBytes } from '../forms/errors.ts';
import { decode, encodeJson, type Form, type Json } from '../forms/form.ts';
import { formOf, keyFormOf } from '../forms/form-of.ts';
import type { ApplicationManifest, TableManifest } from '../manifest.ts';
import { type KeyCodec, keyCodecOfParts } from '../state/keys.ts';
import { SORTED_ENTRY } from '../state/sorted.ts';
import { splitVersion } from '../state/values.ts';

export interface ManifestJson {
  /** By the action's number. */
  inputFromJson(action: number, json: unknown): Uint8Array;
  inputToJson(action: number, bytes: Uint8Array): Json;
  /** By the event's number. */
  eventToJson(event: number, body: Uint8Array): Json;
  queryInputFromJson(query: string, json: unknown): Uint8Array;
  queryOutputToJson(query: string, bytes: Uint8Array): Json;
  genesisFromJson(json: unknown): Uint8Array;
  /** Bytes for `host.key`, by the table's number; for a cell of `[]`. */
  keyFromJson(table: number, json: unknown): Uint8Array;
  /** Undefined for a node of a sorted table, which is no entry. */
  keyToJson(table: number, bytes: Uint8Array): Json | undefined;
  /** The value as it was written: of an earlier version in that version's form. */
  valueToJson(table: number, bytes: Uint8Array): { readonly version: number; readonly value: Json };
}

export function createManifestJson(manifest: ApplicationManifest): ManifestJson {
  const inputs = formsBy(
    manifest.actions,
    ({ number }) => number,
    ({ input }) => input,
    'action',
  );
  const bodies = formsBy(
    manifest.events,
    ({ number }) => number,
    ({ body }) => body,
    'event',
  );
  const questions = formsBy(
    manifest.queries,
    ({ name }) => name,
    ({ input }) => input,
    'query',
  );
  const answers = formsBy(
    manifest.queries,
    ({ name }) => name,
    ({ output }) => output,
    'query',
  );
  const genesis = formOf(manifest.genesis ?? { form: 'record', fields: [] });
  const tables = new Map(manifest.tables.map((table) => [table.number, tableCodec(table)]));
  const tableOf = (number: number): TableCodec => known(tables.get(number), 'table', number);
  return {
    inputFromJson: (action, json) => encodeJson(inputs(action), json, 'input'),
    inputToJson: (action, bytes) => toJson(inputs(action), bytes),
    eventToJson: (event, body) => toJson(bodies(event), body),
    queryInputFromJson: (query, json) => encodeJson(questions(query), json, 'input'),
    queryOutputToJson: (query, bytes) => toJson(answers(query), bytes),
    genesisFromJson: (json) => encodeJson(genesis, json, 'genesis'),
    keyFromJson(number, json) {
      const { key, prefix } = tableOf(number);
      const bytes = key.encode(key.fromJson(json, 'key'), prefix.length);
      prefix.forEach((byte, i) => {
        bytes[i] = byte;
      });
      return bytes;
    },
    keyToJson(number, bytes) {
      const { key, prefix } = tableOf(number);
      if (prefix.some((byte, i) => byte !== bytes[i])) return undefined;
      return key.toJson(key.decode(bytes, prefix.length));
    },
    valueToJson(number, bytes) {
      const { version, start } = splitVersion(bytes);
      const form = tableOf(number).values.get(version);
      if (form === undefined) throw badBytes(`a value of version ${version}, which the manifest does not have`);
      return { version, value: form.toJson(decode(form, bytes, start)) };
    },
  };
}

interface TableCodec {
  readonly key: KeyCodec<unknown>;
  /** Before each key. */
  readonly prefix: readonly number[];
  /** By version. */
  readonly values: ReadonlyMap<number, Form<unknown>>;
}

function tableCodec({ kind, key, keyIsSingle, value, version, earlier }: TableManifest): TableCodec {
  return {
    key: keyCodecOfParts(key.map(keyFormOf), keyIsSingle),
    prefix: kind === 'sorted' ? [SORTED_ENTRY] : [],
    values: new Map([...earlier, { version, value }].map((each) => [each.version, formOf(each.value)])),
  };
}

function formsBy<T, K extends number | string>(
  items: readonly T[],
  keyOf: (item: T) => K,
  descriptionOf: (item: T) => FormDescription,
  what: string,
): (key: K) => Form<unknown> {
  const forms = new Map(items.map((item) => [keyOf(item), formOf(descriptionOf(item))]));
  return (key) => known(forms.get(key), what, key);
}

function known<T>(found: T | undefined, what: string, key: number | string): T {
  if (found === undefined) throw new RangeError(`the manifest has no ${what} ${key}`);
  return found;
}

function toJson(form: Form<unknown>, bytes: Uint8Array): Json {
  return form.toJson(decode(form, bytes));
}

/**
 * What a form on the page holds while it is filled in, and the JSON value that comes of it.
 *
 *   form of the manifest --> emptyDraft --> fields on the page --> draft --> readDraft --> JSON, or a fault at each wrong field
 */
import {
  type CaseDescription,
  type FieldDescription,
  type FormDescription,
  FormError,
  formOf,
  type Json,
} from '@slipstream/app/program';

export type Draft =
  /** Of a number, an account, an id, a text, bytes, or a name of `oneOf`: as it was typed. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'option'; readonly isGiven: boolean; readonly of: Draft }
  | { readonly type: 'list'; readonly items: readonly Draft[] }
  | { readonly type: 'record'; readonly fields: DraftFields }
  | { readonly type: 'choice'; readonly kind: string; readonly fields: DraftFields };

export type DraftFields = { readonly [name: string]: Draft };
/** By path, such as "input.holders[3].value". */
export type Faults = ReadonlyMap<string, string>;

interface ReadDraft {
  readonly value: Json;
  /** Empty: the value is one of the form. */
  readonly faults: Faults;
}

export function emptyDraft(form: FormDescription): Draft {
  switch (form.form) {
    case 'option':
      return { type: 'option', isGiven: false, of: emptyDraft(form.of) };
    case 'list':
      return { type: 'list', items: [] };
    case 'record':
      return { type: 'record', fields: emptyFields(form.fields) };
    case 'choice':
      return caseDraft(form.cases, form.cases[0]?.name ?? '');
    case 'oneOf':
      return { type: 'text', text: form.names[0] ?? '' };
    default:
      return { type: 'text', text: '' };
  }
}

/** Of another case: its fields begin empty. */
export function caseDraft(cases: readonly CaseDescription[], kind: string): Draft {
  return { type: 'choice', kind, fields: emptyFields(fieldsOfCase(cases, kind)) };
}

export function fieldsOfCase(cases: readonly CaseDescription[], kind: string): readonly FieldDescription[] {
  return cases.find(({ name }) => name === kind)?.fields ?? [];
}

function emptyFields(fields: readonly FieldDescription[]): DraftFields {
  return Object.fromEntries(fields.map(({ name, of }) => [name, emptyDraft(of)]));
}

/** `path`: of the value itself, before the paths of its fields. */
export function readDraft(form: FormDescription, draft: Draft, path: string): ReadDraft {
  const faults = new Map<string, string>();
  return { value: jsonOf(form, draft, path, faults), faults };
}

type Faulty = Map<string, string>;

function jsonOf(form: FormDescription, draft: Draft, path: string, faults: Faulty): Json {
  switch (draft.type) {
    case 'text':
      return scalarOf(form, draft.text, path, faults);
    case 'option':
      return form.form === 'option' && draft.isGiven ? jsonOf(form.of, draft.of, path, faults) : null;
    case 'list': {
      if (form.form !== 'list') return [];
      const { of, itemsMax } = form;
      if (draft.items.length > itemsMax) faults.set(path, `Leave at most ${itemsMax} items.`);
      return draft.items.map((item, i) => jsonOf(of, item, `${path}[${i}]`, faults));
    }
    case 'record':
      return form.form === 'record' ? fieldsOf(form.fields, draft.fields, path, faults) : {};
    case 'choice': {
      if (form.form !== 'choice') return {};
      return { kind: draft.kind, ...fieldsOf(fieldsOfCase(form.cases, draft.kind), draft.fields, path, faults) };
    }
    default:
      return draft satisfies never;
  }
}

function fieldsOf(fields: readonly FieldDescription[], drafts: DraftFields, path: string, faults: Faulty) {
  return Object.fromEntries(
    fields.map(({ name, of }) => [name, jsonOf(of, drafts[name] ?? emptyDraft(of), `${path}.${name}`, faults)]),
  );
}

function scalarOf(form: FormDescription, text: string, path: string, faults: Faulty): Json {
  const json = scalarJson(form, text);
  try {
    formOf(form).fromJson(json, path);
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    faults.set(path, `Enter ${boundsOf(form)}.`);
  }
  return json;
}

/** As the form's JSON has it; what is no number stays text, which the form refuses. */
function scalarJson({ form }: FormDescription, text: string): Json {
  if (form === 'text' || form === 'oneOf') return text;
  const trimmed = text.trim().toLowerCase();
  const isNumber = form === 'u8' || form === 'u16' || form === 'u32' || form === 'timeMs';
  return isNumber && /^[0-9]{1,16}$/.test(trimmed) ? Number(trimmed) : trimmed;
}

/** What a value may be, to stand after "Enter". */
export function boundsOf(form: FormDescription): string {
  switch (form.form) {
    case 'u8':
      return 'a whole number from 0 to 255';
    case 'u16':
      return 'a whole number from 0 to 65,535';
    case 'u32':
      return 'a whole number from 0 to 4,294,967,295';
    case 'amount':
      return 'a whole number from 0 to 2^64 - 1';
    case 'timeMs':
      return 'a time in ms since 1970';
    case 'account':
      return 'an account: 0x and 66 hexadecimal digits';
    case 'id':
      return 'an id: 0x and 64 hexadecimal digits';
    case 'text':
      return `text of at most ${form.bytesMax} bytes`;
    case 'bytes':
      return `0x and hexadecimal digits, at most ${form.bytesMax} bytes`;
    case 'oneOf':
      return `one of ${form.names.join(', ')}`;
    case 'option':
      return `nothing, or ${boundsOf(form.of)}`;
    case 'list':
      return `at most ${form.itemsMax} items`;
    case 'record':
      return 'a record';
    case 'choice':
      return `one of ${form.cases.map(({ name }) => name).join(', ')}`;
    default:
      return form satisfies never;
  }
}

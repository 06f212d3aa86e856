/** Codecs and JSON of actions, from their definitions. */
import {
  badJson,
  decode,
  encode,
  fieldsFromJson,
  fieldsToJson,
  objectFromJson,
  readFields,
  sizeOfFields,
  writeFields,
} from '@slipstream/app/forms';
import { type DecodeError, fail, ok, PrimitivesError, type Result } from '@slipstream/primitives';
import type { FieldDescription } from '../forms/description.ts';
import { layoutOfFields } from '../forms/form-of.ts';
import { ACTION_BODY_BYTES_MAX } from '../limits.ts';
import type { ActionDefinition } from './definition.ts';
import { ACTIONS, type Action, type ActionJson, type ActionKind } from './index.ts';

interface ActionForm {
  readonly tag: number;
  encode(action: Action): Uint8Array;
  decode(body: Uint8Array): Result<Action, DecodeError>;
  toJson(action: Action): ActionJson;
  fromJson(json: unknown, path: string): Action;
}

type Definition = ActionDefinition<Action, ActionJson>;
type Values = { readonly [name: string]: unknown };

/** A body's bytes. */
interface Body {
  readonly fixedBytes: number | undefined;
  sizeOf(action: Action): number;
  write(bytes: Uint8Array, at: number, action: Action): number;
  read(bytes: Uint8Array, at: number, end: number): Action;
}

function formFrom(definition: Definition): ActionForm {
  const { kind, tag, fields, unread = [] } = definition;
  const { required, optional } = byPresence(fields);
  const inJson = layoutOfFields(required);
  const others = ['kind', ...optional.map(({ name }) => name), ...unread];
  const optionals = optional.map(({ name, of }) => ({ name, form: layoutOfFields([{ name, of }]) }));
  return {
    tag,
    ...codecOf(kind, bodyOf(definition)),
    toJson(action) {
      const values = action as unknown as Values;
      const json = { kind, ...fieldsToJson(inJson, values) };
      for (const { name, form } of optionals)
        if (values[name] !== undefined) Object.assign(json, fieldsToJson(form, values));
      return json as unknown as ActionJson;
    },
    fromJson(json, path) {
      const given = objectFromJson(json, path);
      const values: Record<string, unknown> = { kind, ...fieldsFromJson(inJson, json, path, others) };
      for (const { name, form } of optionals) {
        const value = given[name];
        values[name] = value === undefined ? undefined : fieldsFromJson(form, { [name]: value }, path)[name];
      }
      return values as unknown as Action;
    },
  };
}

function byPresence(fields: readonly FieldDescription[]) {
  return {
    required: fields.filter(({ optional }) => optional !== true),
    optional: fields.filter(({ optional }) => optional === true),
  };
}

function bodyOf({ kind, fields, inBytes }: Definition): Body {
  const layout = layoutOfFields(inBytes?.fields ?? fields);
  const { fixedBytes } = layout;
  if (inBytes === undefined) {
    return {
      fixedBytes,
      sizeOf: (action) => sizeOfFields(layout, action as unknown as Values),
      write: (bytes, at, action) => writeFields(layout, bytes, at, action as unknown as Values),
      read: (bytes, at, end) => readFields(layout, bytes, at, end, { kind }) as unknown as Action,
    };
  }
  return {
    fixedBytes,
    sizeOf: (action) => sizeOfFields(layout, inBytes.of(action)),
    write: (bytes, at, action) => writeFields(layout, bytes, at, inBytes.of(action)),
    read: (bytes, at, end) => inBytes.from(readFields(layout, bytes, at, end) as never),
  };
}

function codecOf(name: string, body: Body): Pick<ActionForm, 'encode' | 'decode'> {
  const bytesMax = ACTION_BODY_BYTES_MAX;
  return {
    encode(action) {
      let bytes: Uint8Array;
      try {
        bytes = encode(body, action);
      } catch (cause) {
        throw new PrimitivesError('encode-failed', `${name} cannot be encoded: ${String(cause)}`, { name }, cause);
      }
      if (bytes.length <= bytesMax) return bytes;
      throw new PrimitivesError('encode-failed', `${name} is larger than ${bytesMax} bytes`, { name, bytesMax });
    },
    decode(bytes) {
      if (bytes.length > bytesMax)
        return fail({ code: 'oversize', message: `${name}: ${bytes.length} bytes, at most ${bytesMax} are allowed` });
      try {
        return ok(decode(body, bytes));
      } catch (error) {
        return fail({
          code: 'malformed',
          message: `${name}: ${error instanceof Error ? error.message : String(error)}`,
        });
      }
    },
  };
}

const FORMS = new Map(Object.values(ACTIONS).map((each) => [each.kind, formFrom(each as unknown as Definition)]));
const FORMS_BY_TAG = new Map([...FORMS.values()].map((form) => [form.tag, form]));

function formOfKind(kind: ActionKind): ActionForm {
  return FORMS.get(kind) as ActionForm;
}

export interface ActionWire {
  readonly tag: number;
  readonly body: Uint8Array;
}

/** Throws PrimitivesError `encode-failed` for a value outside its form. */
export function actionToWire(action: Action): ActionWire {
  const form = formOfKind(action.kind);
  return { tag: form.tag, body: form.encode(action) };
}

/** Throws RangeError on an unknown tag or a non-canonical body. */
export function actionFromWire(wire: ActionWire): Action {
  const form = FORMS_BY_TAG.get(wire.tag);
  if (form === undefined) throw new RangeError(`unknown action ${wire.tag}`);
  const decoded = form.decode(wire.body);
  if (!decoded.ok) throw new RangeError(decoded.error.message);
  return decoded.value;
}

export function actionToJson(action: Action): ActionJson {
  return formOfKind(action.kind).toJson(action);
}

/** `path`: of the JSON in the submitter's, for the error. Throws FormError `bad-json`. */
export function actionFromJson(json: unknown, path: string): Action {
  const { kind } = objectFromJson(json, path);
  const form = FORMS.get(kind as string);
  if (form === undefined) throw badJson(kind, 'a kind of action', `${path}.kind`);
  return form.fromJson(json, path);
}

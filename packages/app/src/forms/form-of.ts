/** Forms from their descriptions, which may come from a node: all limits are checked again. Throws `bad-definition`. */
import { choice, oneOf, option } from './choices.ts';
import type { FieldDescription, FormDescription } from './description.ts';
import { badDefinition } from './errors.ts';
import { DEPTH_MAX, type Fields, type Form, type KeyForm } from './form.ts';
import { amount, timeMs, u8, u16, u32 } from './integers.ts';
import { list } from './list.ts';
import { account, id } from './opaque.ts';
import { record } from './record.ts';
import { bytes, text } from './text.ts';

const SCALARS: { readonly [name: string]: KeyForm<unknown> } = { u8, u16, u32, timeMs, amount, account, id };

export function formOf(description: FormDescription): Form<unknown> {
  return formAt(description, 0);
}

/** Of a part of a key. */
export function keyFormOf(description: FormDescription): KeyForm<unknown> {
  const form = keyForm(description);
  if (form === undefined) throw badDefinition(`"${description.form}" is no part of a key`);
  return form;
}

function keyForm(description: FormDescription): KeyForm<unknown> | undefined {
  switch (description.form) {
    case 'text':
      return text(description.bytesMax);
    case 'bytes':
      return bytes(description.bytesMax);
    case 'oneOf':
      return oneOf(...description.names);
    case 'option':
    case 'list':
    case 'record':
    case 'choice':
      return undefined;
    default:
      return Object.hasOwn(SCALARS, description.form) ? SCALARS[description.form] : undefined;
  }
}

function formAt(description: FormDescription, depth: number): Form<unknown> {
  if (depth > DEPTH_MAX) throw badDefinition(`forms are nested more than ${DEPTH_MAX} deep`);
  switch (description.form) {
    case 'option':
      return option(formAt(description.of, depth + 1));
    case 'list':
      return list(formAt(description.of, depth + 1), description.itemsMax);
    case 'record':
      return record(fieldsAt(description.fields, depth + 1));
    case 'choice':
      return choice(
        Object.fromEntries(description.cases.map(({ name, fields }) => [name, fieldsAt(fields, depth + 1)])),
      );
    default: {
      const form = keyForm(description);
      if (form === undefined) throw badDefinition(`there is no form "${description.form}"`);
      return form;
    }
  }
}

function fieldsAt(fields: readonly FieldDescription[], depth: number): Fields {
  return Object.fromEntries(fields.map(({ name, of }) => [name, formAt(of, depth)]));
}

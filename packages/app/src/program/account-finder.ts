/** The accounts in a value of a form, by the form's description: for what a call or an event concerns. */
import { bytesOfText } from '../forms/byte-text.ts';
import type { FieldDescription, FormDescription } from '../forms/description.ts';
import { FormError } from '../forms/errors.ts';
import { decode } from '../forms/form.ts';
import { formOf } from '../forms/form-of.ts';

/** Each once, in their order, `most` at most; of 33 bytes each. None of bytes that are no value of the form. */
export type AccountFinder = (bytes: Uint8Array, most: number) => readonly Uint8Array[];

/** Undefined: no value has one. */
export function accountFinder(description: FormDescription): AccountFinder | undefined {
  if (!mayHaveAccounts(description)) return undefined;
  const form = formOf(description);
  return (bytes, most) => {
    const found: string[] = [];
    try {
      collect(description, decode(form, bytes), found, most);
    } catch (error) {
      if (!(error instanceof FormError)) throw error;
    }
    return found.map(bytesOfText);
  };
}

function mayHaveAccounts(description: FormDescription): boolean {
  switch (description.form) {
    case 'account':
      return true;
    case 'option':
    case 'list':
      return mayHaveAccounts(description.of);
    case 'record':
      return description.fields.some(({ of }) => mayHaveAccounts(of));
    case 'choice':
      return description.cases.some(({ fields }) => fields.some(({ of }) => mayHaveAccounts(of)));
    default:
      return false;
  }
}

type Values = { readonly [name: string]: unknown };

function collect(description: FormDescription, value: unknown, found: string[], most: number): void {
  switch (description.form) {
    case 'account':
      if (found.length < most && !found.includes(value as string)) found.push(value as string);
      break;
    case 'option':
      if (value !== undefined) collect(description.of, value, found, most);
      break;
    case 'list':
      if (mayHaveAccounts(description.of))
        for (const item of value as readonly unknown[]) collect(description.of, item, found, most);
      break;
    case 'record':
      collectFields(description.fields, value as Values, found, most);
      break;
    case 'choice': {
      const { kind } = value as Values;
      const chosen = description.cases.find(({ name }) => name === kind);
      collectFields(chosen?.fields ?? [], value as Values, found, most);
      break;
    }
    default:
  }
}

function collectFields(fields: readonly FieldDescription[], values: Values, found: string[], most: number): void {
  for (const { name, of } of fields) collect(of, values[name], found, most);
}

/** JSON Schema of a form's values, for OpenAPI and for forms on a page. */
import type { FieldDescription, FormDescription } from './description.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

export function jsonSchemaOf(description: FormDescription): JsonSchema {
  switch (description.form) {
    case 'u8':
      return integerUpTo(255);
    case 'u16':
      return integerUpTo(65_535);
    case 'u32':
      return integerUpTo(2 ** 32 - 1);
    case 'timeMs':
      return { ...integerUpTo(Number.MAX_SAFE_INTEGER), description: 'Milliseconds since 1970.' };
    case 'amount':
      return { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$', description: 'A decimal number from 0 to 2^64 - 1.' };
    case 'account':
      return hexadecimal('{66}', 'An account: one byte for the scheme, then 32 bytes.');
    case 'id':
      return hexadecimal('{64}', '32 bytes.');
    case 'text':
      return {
        type: 'string',
        maxLength: description.bytesMax,
        description: `At most ${description.bytesMax} bytes in UTF-8.`,
      };
    case 'bytes':
      return { ...hexadecimal('*', `At most ${description.bytesMax} bytes.`), maxLength: 2 + 2 * description.bytesMax };
    case 'oneOf':
      return { type: 'string', enum: description.names };
    case 'option':
      return { anyOf: [jsonSchemaOf(description.of), { type: 'null' }] };
    case 'list':
      return { type: 'array', items: jsonSchemaOf(description.of), maxItems: description.itemsMax };
    case 'record':
      return objectWith(description.fields, {});
    case 'choice':
      return {
        oneOf: description.cases.map(({ name, fields }) =>
          objectWith(fields, { kind: { type: 'string', const: name } }),
        ),
      };
  }
}

function integerUpTo(maximum: number): JsonSchema {
  return { type: 'integer', minimum: 0, maximum };
}

function hexadecimal(count: string, description: string): JsonSchema {
  const digits = count === '*' ? '([0-9a-f]{2})*' : `[0-9a-f]${count}`;
  return { type: 'string', pattern: `^0x${digits}$`, description };
}

function objectWith(fields: readonly FieldDescription[], others: JsonSchema): JsonSchema {
  const optional = new Set(fields.filter(({ of }) => of.form === 'option').map(({ name }) => name));
  const properties = { ...others, ...Object.fromEntries(fields.map(({ name, of }) => [name, jsonSchemaOf(of)])) };
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.has(name)),
    additionalProperties: false,
  };
}

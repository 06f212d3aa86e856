/** Random values of a JSON Schema, for the keywords in use. */
import fc from 'fast-check';

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema | readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
}

const LENGTH_MAX = 4;

export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  switch (schema.type) {
    case 'string':
      return stringsOf(schema);
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? 0, -1_000), max: Math.min(schema.maximum ?? 1_000, 1_000) });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arraysOf(schema);
    case 'object':
      return objectsOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function stringsOf({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) {
    const fits = ({ length }: string) => length >= minLength && length <= maxLength;
    return fc.stringMatching(new RegExp(pattern)).filter(fits);
  }
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, LENGTH_MAX)) });
}

function arraysOf({ items, minItems = 0, maxItems = LENGTH_MAX }: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(items)) return fc.tuple(...items.map(valuesOf));
  const each = items === undefined ? fc.constant(null) : valuesOf(items as Schema);
  return fc.array(each, { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, LENGTH_MAX)) });
}

function objectsOf({ properties = {}, required = [], patternProperties = {} }: Schema): fc.Arbitrary<unknown> {
  const [named] = Object.entries(patternProperties);
  if (named) return fc.dictionary(fc.stringMatching(new RegExp(named[0])), valuesOf(named[1]), { maxKeys: 2 });
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]));
  return fc.record(fields, { requiredKeys: [...required] });
}

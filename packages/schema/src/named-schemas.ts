/** Schemas of a document: those with a title become its components, in OpenAPI and AsyncAPI alike. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

export function plain(schema: unknown): JsonValue {
  return JSON.parse(JSON.stringify(schema)) as JsonValue;
}

/** Titled schemas move to the components and leave a reference. */
export function hoist(value: JsonValue, components: Map<string, JsonValue>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  const isSchema = 'type' in object || 'anyOf' in object || 'enum' in object;
  const title = isSchema && typeof object.title === 'string' ? object.title : undefined;
  if (title !== undefined && components.has(title)) return { $ref: `#/components/schemas/${title}` };
  if (title !== undefined) components.set(title, {});
  const moved = Object.fromEntries(Object.entries(object).map(([key, item]) => [key, hoist(item, components)]));
  if (title === undefined) return moved;
  components.set(title, moved);
  return { $ref: `#/components/schemas/${title}` };
}

export function sorted(components: ReadonlyMap<string, JsonValue>): JsonObject {
  return Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1)));
}

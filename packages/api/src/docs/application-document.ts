/**
 * OpenAPI 3.1 of an application: the node's routes for it, with the schemas of its manifest in the place of "a value of its form".
 *
 * Calls have no route of their own: each is an action of a signed transaction, by name (`POST /v1/transactions`).
 */
import {
  type ApplicationManifest,
  type FormDescription,
  jsonSchemaOf,
  type TableManifest,
} from '@slipstream/app/program';
import { type JsonObject, openApiOf, ROUTE_TABLE, ROUTES, type Route } from '@slipstream/schema';
import { Type } from 'typebox';

type NamedRoute = readonly [name: string, route: Route];

const closed = { additionalProperties: false } as const;
const NONE = Type.Object({}, closed);

export function applicationDocument(manifest: ApplicationManifest, version: string): JsonObject {
  const { name, actions, tables, queries, events } = manifest;
  const routes: NamedRoute[] = [
    ...(actions.length === 0 ? [] : [callsOf(manifest)]),
    ...tables.flatMap((table) => tableRoutes(name, table)),
    ...queries.map((query): NamedRoute => {
      const body = { json: named(`${query.name}Query`, query.input), bytes: false, bytesMax: 64 * 1024 };
      const answer = Type.Object({ output: unnamed(query.output), height: HEIGHT }, closed);
      return [`query.${query.name}`, routeOf('applicationQuery', { name, query: query.name }, { body, answer })];
    }),
    ...(events.length === 0 ? [] : [eventsOf(manifest)]),
  ];
  return openApiOf({
    info: {
      title: name,
      version: `${manifest.version}`,
      description: `Application ${name}, version ${manifest.version}, by its manifest, at a node of version ${version}. The node's own document is /openapi.json.`,
    },
    routes,
  });
}

const HEIGHT = ROUTES.tableEntry.answers[200].properties.height;

/** A form has bounds, but no title: a component is named by what it is for. */
const named = (title: string, form: FormDescription) => Type.Unsafe<unknown>({ ...jsonSchemaOf(form), title });
const unnamed = (form: FormDescription) => Type.Unsafe<unknown>(jsonSchemaOf(form));

interface Differing {
  readonly summary?: string;
  readonly query?: Route['query'];
  readonly body?: Route['body'];
  readonly answer: Route['answers'][number];
}

/** A route of the node, for one application, table or query. */
function routeOf(
  route: 'tableEntry' | 'tableEntries' | 'applicationQuery' | 'applicationEvents',
  of: { readonly name: string; readonly table?: string; readonly query?: string },
  { summary, query, body, answer }: Differing,
): Route {
  const general = ROUTE_TABLE[route];
  const names: Readonly<Record<string, string | undefined>> = {
    application: of.name,
    table: of.table,
    query: of.query,
  };
  return {
    ...general,
    path: general.path.replace(/\{(\w+)\}/g, (_, key: string) => names[key] ?? ''),
    params: NONE,
    ...(summary !== undefined && { summary }),
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body }),
    answers: { 200: answer },
  };
}

function callsOf({ name, actions }: ApplicationManifest): NamedRoute {
  const calls = actions.map((action) =>
    Type.Object(
      {
        kind: Type.Literal('call'),
        application: Type.Literal(name),
        name: Type.Literal(action.name),
        fields: unnamed(action.input),
      },
      { ...closed, title: `${action.name}Call` },
    ),
  );
  const general = ROUTE_TABLE.submitTransaction;
  const { actions: _, ...others } = ROUTES.submitTransaction.body.json.properties;
  const json = Type.Object(
    { ...others, actions: Type.Array(Type.Union(calls), { minItems: 1, description: 'Among other actions.' }) },
    { ...closed, title: 'TransactionWithCalls' },
  );
  const body = { json, bytes: true, bytesMax: general.body?.bytesMax ?? 0 };
  return ['call', { ...general, summary: `Submit a signed transaction with calls of ${name}`, body }];
}

function tableRoutes(name: string, table: TableManifest): readonly NamedRoute[] {
  const value = unnamed(table.value);
  const empty = table.empty === undefined ? Type.Union([value, Type.Null()]) : value;
  const { properties: entry } = ROUTES.tableEntry.answers[200];
  const key = keyOf(table);
  const answer = Type.Object({ ...entry, key, value: empty }, closed);
  const parameter = keyParameter(table);
  const { key: _, ...others } = ROUTES.tableEntry.query.properties;
  const query = Type.Object({ ...(parameter && { key: parameter }), ...others }, closed);
  const routes: NamedRoute[] = [
    [`table.${table.name}`, routeOf('tableEntry', { name, table: table.name }, { query, answer })],
  ];
  if (table.kind !== 'sorted') return routes;
  const { properties: page } = ROUTES.tableEntries.answers[200];
  const items = Type.Array(Type.Object({ ...page.items.items.properties, key, value }, closed));
  const pageAnswer = Type.Object({ ...page, items }, closed);
  return [
    ...routes,
    [`entries.${table.name}`, routeOf('tableEntries', { name, table: table.name }, { answer: pageAnswer })],
  ];
}

function keyOf({ key, keyIsSingle }: TableManifest) {
  const parts = key.map(unnamed);
  return keyIsSingle ? (parts[0] ?? Type.Null()) : Type.Tuple(parts);
}

/** In a URL: one part as it is, several as JSON. Undefined: a cell has none. */
function keyParameter({ key, keyIsSingle }: TableManifest) {
  const [only] = key;
  if (only === undefined) return undefined;
  if (keyIsSingle) return unnamed(only);
  return Type.String({ description: `A JSON list of ${key.length} parts, as \`key\` of the answer.` });
}

function eventsOf(manifest: ApplicationManifest): NamedRoute {
  const { name, events } = manifest;
  const { properties: page } = ROUTES.applicationEvents.answers[200];
  const items = events.map((event) =>
    Type.Object(
      { ...page.items.items.properties, name: Type.Literal(event.name), fields: unnamed(event.body) },
      { ...closed, title: `${event.name}Event` },
    ),
  );
  const answer = Type.Object({ ...page, items: Type.Array(Type.Union(items)) }, closed);
  const { name: _, ...others } = ROUTES.applicationEvents.query.properties;
  const query = Type.Object({ name: Type.Optional(Type.Enum(events.map((event) => event.name))), ...others }, closed);
  return ['events', routeOf('applicationEvents', { name }, { query, answer })];
}

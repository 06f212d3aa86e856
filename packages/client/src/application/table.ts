/** Entries of an application's table, with the node's word or with a proof. */
import type { Json, TableManifest } from '@slipstream/app/program';
import { stateKeyOfEntry } from '@slipstream/types';
import { ClientError } from '../errors.ts';
import type { ProvenOptions, UnprovenOptions } from '../proven-client.ts';
import type { EntriesOptions } from './application.ts';
import { type ApplicationParts, formed, withText } from './parts.ts';

/** Throws ClientError `table-unknown`. */
export function openTable(parts: ApplicationParts, name: string) {
  const { client, manifest } = parts;
  const table = manifest.tables.find((each) => each.name === name);
  if (table === undefined)
    throw new ClientError('table-unknown', `${manifest.name} has no table "${name.slice(0, 40)}"`);
  const params = { application: manifest.name, table: name };

  async function get(key: unknown, { proven, ...options }: ProvenOptions | UnprovenOptions = {}) {
    const given = withText(key);
    if (proven) return provenEntry(parts, table as TableManifest, given, options);
    const query = { key: keyParameter(table as TableManifest, given) };
    const { value, exists, height } = await client.call('tableEntry', { params, query, ...options });
    return { value, exists, height };
  }

  return {
    get,
    async entries({ cursor, limit, reverse, ...options }: EntriesOptions = {}) {
      const query = { cursor, limit, ...(reverse === true && { reverse: 'true' }) };
      const page = await client.call('tableEntries', { params, query, ...options });
      const items = page.items.map(({ key, value }) => ({ key, value }));
      return { items, next: page.next ?? undefined, height: page.height };
    },
  };
}

/** As the route takes it. */
function keyParameter({ key, keyIsSingle }: TableManifest, given: unknown): string | undefined {
  if (key.length === 0) return undefined;
  return keyIsSingle ? String(given) : JSON.stringify(given);
}

async function provenEntry(
  { client, json, number }: ApplicationParts,
  table: TableManifest,
  key: unknown,
  options: { readonly signal?: AbortSignal },
) {
  const own = formed(() => json.keyFromJson(table.number, table.key.length === 0 ? [] : key));
  const { values, height, steps, proof } = await client.proven.state(
    [stateKeyOfEntry(number, table.number, own)],
    options,
  );
  const [stored] = values;
  const value = stored && json.valueToJson(table.number, stored).value;
  const empty = (table.empty as Json | undefined) ?? null;
  return { value: value ?? empty, exists: stored !== undefined, height, shown: { steps, proof } };
}

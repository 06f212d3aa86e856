/** JSON with one text for each value: keys sorted by UTF-16 code units, no space, whole numbers only. */
import { RealmError } from './errors.ts';

/** Fields that are undefined are left out. Throws RealmError `json-unsupported`, naming the path. */
export function canonicalJson(value: unknown, path = '$'): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item, i) => canonicalJson(item, `${path}[${i}]`)).join()}]`;
  if (typeof value !== 'object') throw unsupported(value, path);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field, `${path}.${name}`)}`);
  return `{${fields.join()}}`;
}

function unsupported(value: unknown, path: string): RealmError {
  const what = typeof value === 'number' ? String(value) : `a ${typeof value}`;
  return new RealmError('json-unsupported', `${path}: ${what} has no canonical JSON; use whole numbers and text`, {
    path,
  });
}

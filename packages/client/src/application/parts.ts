import { FormError, type ManifestJson } from '@slipstream/app/program';
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import type { LoadedManifest } from './manifest.ts';

export interface ApplicationParts extends LoadedManifest {
  readonly client: Client;
  readonly json: ManifestJson;
}

/** Throws ClientError `bad-argument` where the form refuses the value. */
export function formed<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof FormError) throw new ClientError('bad-argument', error.message, { path: error.path }, error);
    throw error;
  }
}

/** Amounts may be bigints, which JSON does not have; an option may be undefined. */
export function withText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(withText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withText(field)]));
}

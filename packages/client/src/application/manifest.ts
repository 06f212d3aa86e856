/**
 * The manifest of an application, which no node can falsify: it decides what a call does.
 *
 *   pinned genesis hash <-- genesis --> hash of the artifact <-- artifact --> manifest
 */
import type { ApplicationManifest } from '@slipstream/app/program';
import { bytesEqual, sha256 } from '@slipstream/primitives';
import { genesisFromJson, genesisHashOf } from '@slipstream/types';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import { manifestIn } from './artifact.ts';

export interface LoadedManifest {
  /** In the order of genesis. */
  readonly number: number;
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
  readonly manifest: ApplicationManifest;
}

/** Throws ClientError `application-unknown`, `wrong-chain`, `malformed-answer`, or of requests. */
export async function loadManifest(
  client: Pick<Client, 'genesis' | 'genesisHash' | 'call' | 'url'>,
  name: string,
  options: CallOptions = {},
): Promise<LoadedManifest> {
  const applications = await applicationsOf(client, options);
  const number = applications.findIndex((application) => application.name === name);
  const hash = applications[number]?.hash;
  if (hash === undefined) {
    const names = applications.map((application) => application.name).join(', ') || 'none';
    throw new ClientError(
      'application-unknown',
      `the chain runs no application "${name.slice(0, 40)}"; it runs: ${names}`,
    );
  }
  // The table of routes has no answer for bytes.
  const artifact: unknown = await client.call('applicationArtifact', { params: { application: name }, ...options });
  if (!(artifact instanceof Uint8Array) || !bytesEqual(sha256(artifact), hash)) {
    const message = `the artifact of ${name} from ${client.url} has not the hash that genesis names: ask another node`;
    throw new ClientError('malformed-answer', message);
  }
  return { number, hash, manifest: manifestIn(artifact, name) };
}

async function applicationsOf(client: Pick<Client, 'genesis' | 'genesisHash' | 'url'>, options: CallOptions) {
  const parsed = genesisFromJson(await client.genesis(options));
  if (!parsed.ok)
    throw new ClientError('malformed-answer', `${client.url} tells no genesis: ${parsed.error.slice(0, 3).join('; ')}`);
  if (!bytesEqual(genesisHashOf(parsed.value), await client.genesisHash(options)))
    throw new ClientError('wrong-chain', `the genesis of ${client.url} has another hash than its chain`);
  return parsed.value.applications ?? [];
}

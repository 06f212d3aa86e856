/**
 * The manifest of an application, which no node can falsify: it decides what a call does.
 *
 *   pinned genesis hash <-- genesis --> hash of the artifact <-- artifact --> manifest
 *                              \-- committees --> proven state --> hash after an upgrade
 *
 * A node that holds an upgrade back shows the manifest of genesis. On a development chain whose genesis binds the name alone the node's word
 * counts.
 */
import type { ApplicationManifest } from '@slipstream/app/program';
import { bytesEqual, sha256 } from '@slipstream/primitives';
import {
  APPLICATIONS_STATE_KEY,
  applicationEntriesCodec,
  bindsArtifact,
  genesisFromJson,
  genesisHashOf,
} from '@slipstream/types';
import type { CallOptions } from '../call-options.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../errors.ts';
import { createProvenClient } from '../proven-reads.ts';
import { manifestIn } from './artifact.ts';

export interface LoadedManifest {
  /** In the order of genesis. */
  readonly number: number;
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
  readonly manifest: ApplicationManifest;
}

type Asked = Pick<Client, 'genesis' | 'genesisHash' | 'call' | 'handovers' | 'proven' | 'url'>;

/** Throws ClientError `application-unknown`, `wrong-chain`, `malformed-answer`, `unproven`, or of requests. */
export async function loadManifest(client: Asked, name: string, options: CallOptions = {}): Promise<LoadedManifest> {
  const { chain, applications } = await applicationsOf(client, options);
  const number = applications.findIndex((application) => application.name === name);
  const founding = applications[number];
  if (founding === undefined) {
    const names = applications.map((application) => application.name).join(', ') || 'none';
    throw new ClientError(
      'application-unknown',
      `the chain runs no application "${name.slice(0, 40)}"; it runs: ${names}`,
    );
  }
  // The table of routes has no answer for bytes.
  const artifact: unknown = await client.call('applicationArtifact', { params: { application: name }, ...options });
  const hash = artifact instanceof Uint8Array ? sha256(artifact) : undefined;
  const isNamed =
    hash && (bindsArtifact(founding, hash) || bytesEqual(hash, await provenHash({ client, chain }, number, options)));
  if (!(artifact instanceof Uint8Array) || hash === undefined || !isNamed) {
    const message = `the artifact of ${name} from ${client.url} has neither the hash that genesis names nor that of an upgrade: ask again, or another node`;
    throw new ClientError('malformed-answer', message);
  }
  return { number, hash, manifest: manifestIn(artifact, name) };
}

interface OnChain {
  readonly client: Asked;
  /** The genesis file. */
  readonly chain: unknown;
}

/** What the application runs now. Throws ClientError `unproven`. */
async function provenHash({ client, chain }: OnChain, number: number, options: CallOptions): Promise<Uint8Array> {
  const proven = createProvenClient(client, { chain, heightMin: client.proven.height() });
  const { values } = await proven.state([APPLICATIONS_STATE_KEY], options);
  const entries = applicationEntriesCodec.decode(values[0] ?? new Uint8Array(0));
  const hash = entries.ok ? entries.value[number]?.hash : undefined;
  if (hash === undefined)
    throw new ClientError('malformed-answer', `the state of ${client.url} has no application ${number}`);
  return hash;
}

async function applicationsOf(client: Asked, options: CallOptions) {
  const chain: unknown = await client.genesis(options);
  const parsed = genesisFromJson(chain);
  if (!parsed.ok)
    throw new ClientError('malformed-answer', `${client.url} tells no genesis: ${parsed.error.slice(0, 3).join('; ')}`);
  if (!bytesEqual(genesisHashOf(parsed.value), await client.genesisHash(options)))
    throw new ClientError('wrong-chain', `the genesis of ${client.url} has another hash than its chain`);
  return { chain, applications: parsed.value.applications ?? [] };
}

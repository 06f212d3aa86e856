/** Applications that a chain is founded with, and the artifacts that a node needs to start (applications.md, A1). */

import type { ApplicationManifest } from '@slipstream/app/program';
import { createManifestJson, FormError } from '@slipstream/app/program';
import { artifactHash } from '@slipstream/app-realm';
import { to0x } from '@slipstream/primitives';
import { bindsArtifact, type Genesis, type GenesisApplication, ZERO_ID } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { bytesOf, decoded, placeOf } from './artifact-files.ts';
import { readJson } from './files.ts';

/** What a chain is made with. */
export interface FoundingApplication {
  readonly artifact: Uint8Array;
  /** Of its genesis function, in that function's form. */
  readonly input: Uint8Array;
  /** Of development chains: genesis binds the name, and later artifacts of it may run. */
  readonly isNameAlone?: boolean;
}

interface ReadArtifact {
  readonly artifact: Uint8Array;
  readonly hash: Uint8Array;
  readonly manifest: ApplicationManifest;
}

/** @param named for messages; throws HomeError `usage` */
export async function readArtifact(file: string, named = file): Promise<ReadArtifact> {
  const artifact = await bytesOf(file).catch((cause: unknown) => {
    throw new HomeError(
      'usage',
      `cannot read the artifact ${named}; name a file that app build made`,
      { file: named },
      cause,
    );
  });
  return { artifact, hash: artifactHash(artifact), manifest: decoded(artifact, 'usage', named).manifest };
}

/**
 * @param list `ARTIFACT[=INPUT],...`: files, an input in JSON
 * @param place the path of a named file
 *
 * Throws HomeError `usage`, `home-incomplete`.
 */
export async function readFoundingApplications(
  list: string,
  place: (file: string) => string,
): Promise<readonly FoundingApplication[]> {
  const all = list.split(',').map(async (each) => {
    const [file = '', input] = each.split('=');
    const { artifact } = await readArtifact(place(file), file);
    return foundingApplication(artifact, input === undefined ? {} : await readJson(place(input), 'input of genesis'));
  });
  return Promise.all(all);
}

/**
 * @param input JSON of the genesis function's input; undefined: `{}`
 *
 * Throws HomeError `usage`.
 */
export function foundingApplication(artifact: Uint8Array, input: unknown = {}): FoundingApplication {
  const { manifest } = decoded(artifact, 'usage', 'the artifact');
  try {
    return { artifact, input: createManifestJson(manifest).genesisFromJson(input) };
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    throw new HomeError('usage', `the input of ${manifest.name} in genesis: ${error.message}`, { name: manifest.name });
  }
}

export function inGenesis({ artifact, input, isNameAlone = false }: FoundingApplication): GenesisApplication {
  const { name } = decoded(artifact, 'usage', 'the artifact').manifest;
  return { name, hash: isNameAlone ? ZERO_ID : artifactHash(artifact), input };
}

/**
 * The artifacts that genesis names, in its order.
 *
 * @param folder a node's home, or where a chain was made
 *
 * Throws HomeError `application-missing`, `application-differs`, `home-incomplete`.
 */
export async function requireApplications(
  folder: string,
  { applications = [] }: Pick<Genesis, 'applications'>,
): Promise<readonly Uint8Array[]> {
  return Promise.all(applications.map((application) => requireApplication(folder, application)));
}

async function requireApplication(folder: string, { name, hash }: GenesisApplication): Promise<Uint8Array> {
  const path = placeOf(folder, name);
  const wanted = to0x(hash);
  const artifact = await bytesOf(path).catch((cause: unknown) => {
    const message = `${path} is missing: the chain runs ${name}, artifact ${wanted}; put the file of that hash there`;
    throw new HomeError('application-missing', message, { name, wanted }, cause);
  });
  const found = artifactHash(artifact);
  if (!bindsArtifact({ hash }, found)) {
    const message = `${path} has the hash ${to0x(found)}, and the chain runs ${name} with ${wanted}: put the file of that hash there`;
    throw new HomeError('application-differs', message, { name, wanted, found: to0x(found) });
  }
  decoded(artifact, 'home-incomplete', path);
  return artifact;
}

/**
 * Artifacts of a chain's applications in a node's home: a node starts only with those that genesis names (A1).
 *
 *   <home>/applications/NAME.artifact
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApplicationManifest, createManifestJson, FormError } from '@slipstream/app/program';
import { type Artifact, artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { type Applications, createApplications } from '@slipstream/execution';
import { to0x } from '@slipstream/primitives';
import { bindsArtifact, type Genesis, type GenesisApplication, ZERO_ID } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { readJson } from './files.ts';
import { HOME } from './layout.ts';

/** What a chain is made with. */
export interface FoundingApplication {
  readonly artifact: Uint8Array;
  /** Of its genesis function, in that function's form. */
  readonly input: Uint8Array;
  /** Of development chains: genesis binds the name, and later artifacts of it may run. */
  readonly isNameAlone?: boolean;
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
    const artifact = await bytesOf(place(file)).catch((cause: unknown) => {
      throw new HomeError(
        'usage',
        `cannot read the artifact ${file}; name a file that app build made`,
        { file },
        cause,
      );
    });
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

/** Overwrites. */
export async function keepApplications(folder: string, artifacts: readonly Uint8Array[]): Promise<void> {
  if (artifacts.length > 0) await mkdir(join(folder, HOME.applications), { recursive: true });
  for (const artifact of artifacts) {
    const path = placeOf(folder, decoded(artifact, 'usage', 'the artifact').manifest.name);
    await writeFile(`${path}.new`, artifact);
    await rename(`${path}.new`, path);
  }
}

/** In new realms. Throws RealmError. */
export function loadApplications(
  artifacts: readonly Uint8Array[],
  reportFault?: Parameters<typeof createApplications>[1],
): Applications {
  const installed = artifacts.map((artifact) => ({
    hash: artifactHash(artifact),
    program: loadProgram(decoded(artifact, 'home-incomplete', 'an artifact')),
  }));
  return createApplications(installed, reportFault);
}

export function manifestsOf(artifacts: readonly Uint8Array[]): readonly ApplicationManifest[] {
  return artifacts.map((artifact) => decoded(artifact, 'home-incomplete', 'an artifact').manifest);
}

/** No Buffer, whose memory may be shared. */
const bytesOf = async (path: string): Promise<Uint8Array> => new Uint8Array(await readFile(path));

const placeOf = (folder: string, name: string): string => join(folder, HOME.applications, `${name}.artifact`);

function decoded(artifact: Uint8Array, code: 'usage' | 'home-incomplete', what: string): Artifact {
  const found = decodeArtifact(artifact);
  if (found.ok) return found.value;
  throw new HomeError(code, `${what}: ${found.error.message}`, {}, found.error);
}

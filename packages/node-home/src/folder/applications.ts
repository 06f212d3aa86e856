/**
 * Artifacts of a chain's applications in a node's home: a node starts only with those that genesis names (A1), and executes an epoch only
 * with those that its record names (A14).
 *
 *   <home>/applications/NAME.artifact   of genesis
 *   <home>/applications/HASH.artifact   accepted for an upgrade
 */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApplicationManifest, createManifestJson, FormError } from '@slipstream/app/program';
import { type Artifact, artifactHash, decodeArtifact, loadProgram, type MeteredProgram } from '@slipstream/app-realm';
import { type Applications, createApplications } from '@slipstream/execution';
import { to0x, toHex } from '@slipstream/primitives';
import { bindsArtifact, bindsNameAlone, type Genesis, type GenesisApplication, ZERO_ID } from '@slipstream/types';
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

/** Overwrites. */
export async function keepApplications(folder: string, artifacts: readonly Uint8Array[]): Promise<void> {
  if (artifacts.length > 0) await mkdir(join(folder, HOME.applications), { recursive: true });
  for (const artifact of artifacts) {
    const path = placeOf(folder, decoded(artifact, 'usage', 'the artifact').manifest.name);
    await writeFile(`${path}.new`, artifact);
    await rename(`${path}.new`, path);
  }
}

/**
 * Puts an artifact into a node's home, for an upgrade that is to come. It is loaded in a realm first.
 *
 * @returns its hash, and the file
 *
 * Throws HomeError `usage`, RealmError.
 */
export async function acceptArtifact(
  home: string,
  artifact: Uint8Array,
): Promise<{ readonly hash: Uint8Array; readonly path: string }> {
  loadProgram(decoded(artifact, 'usage', 'the artifact'));
  const hash = artifactHash(artifact);
  const path = placeOf(home, toHex(hash));
  await mkdir(join(home, HOME.applications), { recursive: true });
  await writeFile(`${path}.new`, artifact);
  await rename(`${path}.new`, path);
  return { hash, path };
}

/** The newest version of an application in the home; undefined: there is none. Throws HomeError `home-incomplete`. */
export async function newestHere(home: string, name: string): Promise<ApplicationManifest | undefined> {
  const founding = await bytesOf(placeOf(home, name)).then(
    (artifact) => [artifact],
    () => [],
  );
  const all = manifestsOf([...founding, ...(await readAccepted(home))]).filter((each) => each.name === name);
  return all.sort((a, b) => b.version - a.version)[0];
}

const ACCEPTED_FILE = /^([0-9a-f]{64})\.artifact$/;

/** Those that `acceptArtifact` put there, by file name. Throws HomeError `home-incomplete`. */
export async function readAccepted(home: string): Promise<readonly Uint8Array[]> {
  const names = await readdir(join(home, HOME.applications)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const hashes = names.flatMap((name) => ACCEPTED_FILE.exec(name)?.[1] ?? []).sort();
  return Promise.all(hashes.map((hash) => readAcceptedOne(placeOf(home, hash), hash)));
}

async function readAcceptedOne(path: string, hash: string): Promise<Uint8Array> {
  const artifact = await bytesOf(path);
  if (toHex(artifactHash(artifact)) !== hash) {
    const message = `${path} has the hash ${to0x(artifactHash(artifact))}: remove it, and accept the artifact again`;
    throw new HomeError('home-incomplete', message, { path });
  }
  decoded(artifact, 'home-incomplete', path);
  return artifact;
}

export interface ArtifactTable {
  /** Also the hash of zeros, by which a development chain's genesis binds the name alone. */
  has(hash: Uint8Array): boolean;
  /** Undefined: it is not here. `number`: of the application, for such a hash of zeros. */
  manifestOf(hash: Uint8Array, number?: number): ApplicationManifest | undefined;
}

/** `artifacts`: those of genesis, if they are among them, come first. */
export function artifactTable(artifacts: readonly Uint8Array[]): ArtifactTable {
  const all = manifestsOf(artifacts);
  const manifests = new Map(artifacts.map((artifact, i) => [toHex(artifactHash(artifact)), all[i]]));
  return {
    has: (hash) => bindsNameAlone({ hash }) || manifests.has(toHex(hash)),
    manifestOf: (hash, number = -1) => (bindsNameAlone({ hash }) ? all[number] : manifests.get(toHex(hash))),
  };
}

interface LoadOptions {
  readonly reportFault?: (application: string, message: string) => void;
  /** Of later epochs: loaded when a block needs them. */
  readonly accepted?: readonly Uint8Array[];
}

/** In new realms. Throws RealmError. */
export function loadApplications(
  artifacts: readonly Uint8Array[],
  { reportFault, accepted = [] }: LoadOptions = {},
): Applications {
  const installed = artifacts.map((artifact) => ({ hash: artifactHash(artifact), program: programIn(artifact) }));
  return createApplications(installed, { reportFault, load: programsOf([...artifacts, ...accepted]) });
}

/** A program in a new realm at each call; undefined: no such artifact. What it returns throws RealmError. */
export function programsOf(artifacts: readonly Uint8Array[]): (hash: Uint8Array) => MeteredProgram | undefined {
  const byHash = new Map(artifacts.map((artifact) => [toHex(artifactHash(artifact)), artifact]));
  return (hash) => {
    const artifact = byHash.get(toHex(hash));
    return artifact && programIn(artifact);
  };
}

const programIn = (artifact: Uint8Array) => loadProgram(decoded(artifact, 'home-incomplete', 'an artifact'));

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

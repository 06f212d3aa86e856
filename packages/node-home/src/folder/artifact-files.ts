/**
 * Artifacts of a chain's applications in a node's home: a node starts only with those that genesis names (A1), and executes an epoch only
 * with those that its record names (A14).
 *
 *   <home>/applications/NAME.artifact   of genesis
 *   <home>/applications/HASH.artifact   accepted for an upgrade
 *   <home>/data/artifacts/HASH.artifact   sent by peers, not accepted: none of it runs
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApplicationManifest } from '@slipstream/app/program';
import { type Artifact, artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { fromHex, to0x, toHex } from '@slipstream/primitives';
import { HomeError } from '../errors.ts';
import { DATA, HOME } from './layout.ts';

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
  return keepAccepted(home, artifact);
}

/** As `acceptArtifact`, of an artifact that was loaded before. */
export async function keepAccepted(
  home: string,
  artifact: Uint8Array,
): Promise<{ readonly hash: Uint8Array; readonly path: string }> {
  const hash = artifactHash(artifact);
  return { hash, path: await keep(join(home, HOME.applications), artifact) };
}

/** Returns the file. */
async function keep(folder: string, artifact: Uint8Array): Promise<string> {
  const path = join(folder, `${toHex(artifactHash(artifact))}.artifact`);
  await mkdir(folder, { recursive: true });
  await writeFile(`${path}.new`, artifact, { flush: true });
  await rename(`${path}.new`, path);
  return path;
}

/** The accepted artifact of this hash, which another process may have put there. Undefined: there is none. Throws HomeError `home-incomplete`. */
export async function readAcceptedIfAny(home: string, hash: Uint8Array): Promise<Uint8Array | undefined> {
  const [name] = (await filesIn(join(home, HOME.applications))).filter((each) => each === toHex(hash));
  return name === undefined ? undefined : readAcceptedOne(placeOf(home, name), name);
}

/** Of a peer; its hash and form were checked. */
export async function keepFetched(home: string, artifact: Uint8Array): Promise<void> {
  await keep(fetchedIn(home), artifact);
}

export async function removeFetched(home: string, hash: Uint8Array): Promise<void> {
  await rm(join(fetchedIn(home), `${toHex(hash)}.artifact`), { force: true });
}

/** What a process that ended left damaged is removed: peers have it. */
export async function readFetched(home: string): Promise<readonly Uint8Array[]> {
  const found: Uint8Array[] = [];
  for (const name of await filesIn(fetchedIn(home))) {
    const artifact = await bytesOf(join(fetchedIn(home), `${name}.artifact`));
    const isWhole = toHex(artifactHash(artifact)) === name && decodeArtifact(artifact).ok;
    if (isWhole) found.push(artifact);
    else await removeFetched(home, fromHex(name));
  }
  return found;
}

const fetchedIn = (home: string): string => join(home, HOME.data, DATA.artifacts);

/** The newest version of an application in the home; undefined: there is none. Throws HomeError `home-incomplete`. */
export async function newestHere(home: string, name: string): Promise<ApplicationManifest | undefined> {
  const founding = await bytesOf(placeOf(home, name)).then(
    (artifact) => [artifact],
    () => [],
  );
  const all = manifestsOf([...founding, ...(await readAccepted(home))]).filter((each) => each.name === name);
  return all.sort((a, b) => b.version - a.version)[0];
}

const NAMED_BY_HASH = /^([0-9a-f]{64})\.artifact$/;

/** Those that `acceptArtifact` put there, by file name. Throws HomeError `home-incomplete`. */
export async function readAccepted(home: string): Promise<readonly Uint8Array[]> {
  const hashes = await filesIn(join(home, HOME.applications));
  return Promise.all(hashes.map((hash) => readAcceptedOne(placeOf(home, hash), hash)));
}

/** Hashes of the artifacts that are named by them. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.flatMap((name) => NAMED_BY_HASH.exec(name)?.[1] ?? []).sort();
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

export function manifestsOf(artifacts: readonly Uint8Array[]): readonly ApplicationManifest[] {
  return artifacts.map((artifact) => decoded(artifact, 'home-incomplete', 'an artifact').manifest);
}

/** No Buffer, whose memory may be shared. */
export const bytesOf = async (path: string): Promise<Uint8Array> => new Uint8Array(await readFile(path));

export const placeOf = (folder: string, name: string): string => join(folder, HOME.applications, `${name}.artifact`);

export function decoded(artifact: Uint8Array, code: 'usage' | 'home-incomplete', what: string): Artifact {
  const found = decodeArtifact(artifact);
  if (found.ok) return found.value;
  throw new HomeError(code, `${what}: ${found.error.message}`, {}, found.error);
}

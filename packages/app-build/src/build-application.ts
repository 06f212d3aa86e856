/**
 * From an application's file to its artifact.
 *
 *   sources --> checks --> freeze --> bundle with the kit --> ticks --> script --> a realm --> manifest --> lock file
 *                                                                          \----------------------------> artifact
 *
 * The same sources, kit and rolldown give the same artifact, on each machine and from each folder.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import type { ApplicationManifest } from '@slipstream/app/program';
import { artifactHash, encodeArtifact, loadScript, RealmError, TICKS_MAX, TICKS_PER_UNIT } from '@slipstream/app-realm';
import { bundleApplication } from './bundle.ts';
import { BuildError } from './errors.ts';
import { extendLock, type Lock, readLock, writeLock } from './lock-file.ts';
import { scriptOf } from './script.ts';

interface BuildOptions {
  /** Fail with `lock-outdated` where the lock file would change, such as on a build server. Default: false, write it. */
  readonly isLockFrozen?: boolean;
}

export interface BuildResult {
  readonly manifest: ApplicationManifest;
  readonly script: string;
  readonly artifact: Uint8Array;
  /** Of the artifact, 32 bytes. */
  readonly hash: Uint8Array;
  readonly lock: Lock;
  /** Absolute. */
  readonly lockFile: string;
  /** Absolute paths of the application's modules. */
  readonly sources: readonly string[];
}

/** Inputs have at most 7 KiB, which is the most that `perInputKiB` is added. */
const INPUT_KIB_MAX = 7;

/**
 * Builds the application that is a file's default export, and writes new numbers into its lock file.
 *
 * Throws BuildError; each code says what to change. Writes nothing then.
 */
export async function buildApplication(
  file: string,
  { isLockFrozen = false }: BuildOptions = {},
): Promise<BuildResult> {
  const { result, textBefore } = await build(file);
  await saveLock(result, textBefore, isLockFrozen);
  return result;
}

/**
 * As `buildApplication`, and writes nothing: new names have the numbers that the next build gives them.
 *
 * @param lock of a draft before, whose numbers stay; default: the lock file's
 */
export async function draftApplication(file: string, lock?: Lock): Promise<BuildResult> {
  return (await build(file, lock)).result;
}

interface Built {
  readonly result: BuildResult;
  /** Of the lock file, if there is one. */
  readonly textBefore: string | undefined;
}

async function build(file: string, drafted?: Lock): Promise<Built> {
  const path = resolve(file);
  await requireFile(path);
  const { code, sources } = await bundleApplication(path);
  const lockFile = join(dirname(path), `${parse(path).name}.lock.json`);
  const before = await lockBefore(lockFile);
  // The kit numbers what is new; the script has all numbers, so that the next build gives the same one.
  const known = drafted ?? before.lock;
  const draft = manifestOf(basename(path), scriptOf(code, known ?? NO_NUMBERS));
  const lock = extendLock(basename(lockFile), known, draft);
  const script = scriptOf(code, lock);
  const manifest = manifestOf(basename(path), script);
  requireCompute(manifest);
  const artifact = encode({ manifest, script });
  const result = { manifest, script, artifact, hash: artifactHash(artifact), lock, lockFile, sources };
  return { result, textBefore: before.text };
}

const NO_NUMBERS = { tables: {}, actions: {}, events: {} } as const;

async function requireFile(path: string): Promise<void> {
  if ((await textOf(path)) !== undefined) return;
  throw new BuildError('source-missing', `${path}: there is no such file; name the application's .ts file`, { path });
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

function manifestOf(name: string, script: string): ApplicationManifest {
  try {
    return loadScript(script, name).manifest;
  } catch (error) {
    if (!(error instanceof RealmError)) throw error;
    throw new BuildError('definition-failed', `${name}: ${error.message}`, { name, reason: error.code }, error);
  }
}

function requireCompute({ name, actions }: ApplicationManifest): void {
  const computeMax = Math.floor(TICKS_MAX / TICKS_PER_UNIT);
  for (const { name: action, units } of actions) {
    const compute = units.fixed.compute + INPUT_KIB_MAX * units.perInputKiB.compute;
    if (compute <= computeMax) continue;
    const message = `${name}: action ${action} declares ${compute} units of compute; an action may have ${computeMax}`;
    throw new BuildError('compute-too-high', message, { action, compute, computeMax });
  }
}

function encode(parts: { readonly manifest: ApplicationManifest; readonly script: string }): Uint8Array {
  try {
    return encodeArtifact(parts);
  } catch (error) {
    if (!(error instanceof RealmError)) throw error;
    const code = error.code === 'artifact-too-large' ? error.code : 'definition-failed';
    throw new BuildError(code, `${parts.manifest.name}: ${error.message}`, error.data, error);
  }
}

async function lockBefore(lockFile: string): Promise<{ readonly text?: string; readonly lock?: Lock }> {
  const text = await textOf(lockFile);
  return text === undefined ? {} : { text, lock: readLock(basename(lockFile), text) };
}

async function saveLock({ lock, lockFile }: BuildResult, before: string | undefined, isFrozen: boolean): Promise<void> {
  const text = writeLock(lock);
  if (text === before) return;
  if (isFrozen) {
    const file = basename(lockFile);
    const message = `${file}: lacks names of the application; build it once without freezing its lock file, and commit the file`;
    throw new BuildError('lock-outdated', message, { file });
  }
  await writeFile(lockFile, text);
}

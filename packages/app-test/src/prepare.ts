/** The artifact of the application that a test imports, built from its file, and its realms. */
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import {
  type Application,
  type ApplicationManifest,
  createManifestJson,
  FormError,
  type ManifestJson,
} from '@slipstream/app/program';
import { type BuildResult, draftApplication } from '@slipstream/app-build';
import { loadProgram, type MeteredProgram } from '@slipstream/app-realm';
import { TestError } from './errors.ts';

export interface Prepared {
  readonly build: BuildResult;
  readonly json: ManifestJson;
  /** A realm in which calls of all chains of this test ran. */
  readonly used: MeteredProgram;
  /** A new realm, in 10 ms or so. */
  load(): MeteredProgram;
  /** Throws RangeError for a name that the application lacks. */
  numberOf(kind: 'actions' | 'tables', name: string): number;
}

/** Writes nothing, no lock file either. Throws BuildError. */
export async function prepareFile(file: string | URL): Promise<Prepared> {
  const build = await draftApplication(pathOf(file));
  const { manifest, script } = build;
  const load = () => loadProgram({ manifest, script });
  return {
    build,
    json: createManifestJson(manifest),
    used: load(),
    load,
    numberOf(kind, name) {
      const found = manifest[kind].find((each) => each.name === name);
      if (found === undefined) throw new RangeError(`${manifest.name} has no "${name}" in its ${kind}`);
      return found.number;
    },
  };
}

/**
 * As `prepareFile`, and compares it with what the test imported. Throws TestError `another-application`.
 *
 * @param file of the application: a path or a file URL
 */
export async function prepare(application: Application, file: string | URL): Promise<Prepared> {
  const prepared = await prepareFile(file);
  if (isDeepStrictEqual(namesOf(application), namesIn(prepared.build.manifest))) return prepared;
  const message = `${file}: its application is not the one of the test; give the file that the test imports`;
  throw new TestError('another-application', message, { file: String(file) });
}

function namesOf({ name, version, state, actions, events, queries }: Application) {
  return { name, version, parts: [state, actions, events, queries].map((part) => Object.keys(part).sort()) };
}

function namesIn({ name, version, tables, actions, events, queries }: ApplicationManifest) {
  const parts = [tables, actions, events, queries].map((part) => part.map((each) => each.name).sort());
  return { name, version, parts };
}

/** Throws TestError `genesis-failed` for JSON of another form. */
export function genesisBytes({ json }: Prepared, genesis: unknown = {}): Uint8Array {
  try {
    return json.genesisFromJson(genesis);
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    throw new TestError('genesis-failed', `genesis takes another input: ${error.message}`, {}, error);
  }
}

export function pathOf(file: string | URL): string {
  return file instanceof URL || file.startsWith('file:') ? fileURLToPath(file) : file;
}

/** Artifacts as a running node uses them: manifests by hash, and programs in realms. */
import type { ApplicationManifest } from '@slipstream/app/program';
import { artifactHash, loadProgram, type MeteredProgram } from '@slipstream/app-realm';
import { type Applications, createApplications } from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import { bindsNameAlone } from '@slipstream/types';
import { HomeError } from '../errors.ts';
import { decoded, manifestsOf } from './artifact-files.ts';

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
export function loadApplications(artifacts: readonly Uint8Array[], options: LoadOptions = {}): Applications {
  return openApplications(artifacts, options).applications;
}

export interface OpenApplications {
  readonly applications: Applications;
  /** An artifact of a later epoch; its realm is made now. Throws RealmError, HomeError `usage` for an application that the chain does not run. */
  accept(artifact: Uint8Array): void;
}

/** Those of genesis in new realms, those of later epochs when a block needs them or when they are accepted. Throws RealmError. */
export function openApplications(
  artifacts: readonly Uint8Array[],
  { reportFault, accepted = [] }: LoadOptions = {},
): OpenApplications {
  const installed = artifacts.map((artifact) => ({ hash: artifactHash(artifact), program: programIn(artifact) }));
  const byHash = byHashOf([...artifacts, ...accepted]);
  const applications = createApplications(installed, { reportFault, load: programsIn(byHash) });
  return {
    applications,
    accept(artifact) {
      const { name } = decoded(artifact, 'usage', 'the artifact').manifest;
      const number = applications.numberOf(name);
      if (number === undefined) throw new HomeError('usage', `this chain runs no application ${name}`, { name });
      const hash = artifactHash(artifact);
      byHash.set(toHex(hash), artifact);
      applications.prepare(number, hash);
    },
  };
}

type ByHash = Map<string, Uint8Array>;

const byHashOf = (artifacts: readonly Uint8Array[]): ByHash =>
  new Map(artifacts.map((artifact) => [toHex(artifactHash(artifact)), artifact]));

/** A program in a new realm at each call; undefined: no such artifact. What it returns throws RealmError. */
export function programsOf(artifacts: readonly Uint8Array[]): (hash: Uint8Array) => MeteredProgram | undefined {
  return programsIn(byHashOf(artifacts));
}

const programsIn = (byHash: ByHash) => (hash: Uint8Array) => {
  const artifact = byHash.get(toHex(hash));
  return artifact && programIn(artifact);
};

const programIn = (artifact: Uint8Array) => loadProgram(decoded(artifact, 'home-incomplete', 'an artifact'));

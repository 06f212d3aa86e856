/** Applications for the tests: built from their sources, in new realms. */
import { type ApplicationManifest, createManifestJson, type ManifestJson } from '@slipstream/app/program';
import { buildApplication } from '@slipstream/app-build';
import { artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { bytesEqual } from '@slipstream/primitives';
import type { Action, Genesis } from '@slipstream/types';
import { type Applications, createApplications } from '../src/index.ts';

export interface TestApplication {
  readonly name: string;
  readonly artifact: Uint8Array;
  /** SHA-256 of it. */
  readonly hash: Uint8Array;
  readonly manifest: ApplicationManifest;
  readonly json: ManifestJson;
  /** A call of an action by its name, with JSON. */
  call(action: string, input: unknown): Action;
  /** What genesis says of it. */
  inGenesis(input: unknown): NonNullable<Genesis['applications']>[number];
}

export async function builtApplication(source: URL): Promise<TestApplication> {
  const { artifact, manifest } = await buildApplication(source.pathname, { isLockFrozen: true });
  const json = createManifestJson(manifest);
  const { name } = manifest;
  const hash = artifactHash(artifact);
  return {
    name,
    artifact,
    hash,
    manifest,
    json,
    call(actionName, input) {
      const action = manifest.actions.find((each) => each.name === actionName)?.number ?? -1;
      return { kind: 'call', application: name, action, input: json.inputFromJson(action, input) };
    },
    inGenesis: (input) => ({ name, hash, input: json.genesisFromJson(input) }),
  };
}

export const exampleSource = (name: 'token' | 'escrow' | 'orders'): URL =>
  new URL(`../../../docs/integrators/examples/applications/${name}.ts`, import.meta.url);

/** In realms that nothing ran in before. `later`: of later epochs. */
export function freshApplications(
  applications: readonly Pick<TestApplication, 'artifact'>[],
  reportFault?: (application: string, message: string) => void,
  later: readonly Pick<TestApplication, 'artifact'>[] = [],
): Applications {
  const installed = applications.map((each) => ({ hash: artifactHash(each.artifact), program: programOf(each) }));
  const load = (hash: Uint8Array) => {
    const found = later.find(({ artifact }) => bytesEqual(artifactHash(artifact), hash));
    return found && programOf(found);
  };
  return createApplications(installed, { reportFault, load });
}

function programOf({ artifact }: Pick<TestApplication, 'artifact'>) {
  const decoded = decodeArtifact(artifact);
  if (!decoded.ok) throw decoded.error;
  return loadProgram(decoded.value);
}

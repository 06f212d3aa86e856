/** A node's artifacts in a home of their own, with the token of genesis and its second version. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeArtifact } from '@slipstream/app-realm';
import { HOME } from '@slipstream/node-home';
import { openApplications, readAccepted, readFetched } from '@slipstream/node-home/applications';
import { silentTelemetry } from '@slipstream/ports';
import { sha256, toHex } from '@slipstream/primitives';
import { onTestFinished } from 'vitest';
import { builtApplication, exampleSource } from '../../../../packages/execution/test/application-builders.ts';
import { createNodeArtifacts } from '../../src/artifacts/node-artifacts.ts';

const TOKEN_2 = new URL('../../../../packages/execution/test/applications/token-2.ts', import.meta.url);
export const [first, second, escrow] = await Promise.all([
  builtApplication(exampleSource('token')),
  builtApplication(TOKEN_2),
  builtApplication(exampleSource('escrow')),
]);

/** The second version, changed: what a builder gets who edits the lock file, or the script. */
export function changedSecond(change: { readonly number?: number; readonly script?: string }): Uint8Array {
  const { manifest } = second;
  const tables = manifest.tables.map((table, i) =>
    i === 0 ? { ...table, number: change.number ?? table.number } : table,
  );
  return encodeArtifact({ manifest: { ...manifest, tables }, script: change.script ?? "'use strict';0" });
}

export async function artifactWorld(
  found: {
    readonly accepted?: readonly Uint8Array[];
    readonly fetched?: readonly Uint8Array[];
    readonly home?: string;
  } = {},
) {
  const home = found.home ?? (await mkdtemp(join(tmpdir(), 'slipstream-artifacts-')));
  if (found.home === undefined) onTestFinished(() => rm(home, { recursive: true, force: true }));
  const executor = openApplications([first.artifact]);
  const loaded: string[] = [];
  const announced: string[] = [];
  const artifacts = createNodeArtifacts(
    {
      telemetry: silentTelemetry,
      async load(artifact) {
        executor.accept(artifact);
        loaded.push(toHex(sha256(artifact)));
      },
      accepted: async (artifact) => void announced.push(toHex(sha256(artifact))),
    },
    { home, applications: [first.artifact], accepted: await readAccepted(home), fetched: await readFetched(home) },
  );
  return {
    home,
    artifacts,
    loaded,
    announced,
    /** As another process does it. */
    async putInHome(artifact: Uint8Array): Promise<Uint8Array> {
      const hash = sha256(artifact);
      await mkdir(join(home, HOME.applications), { recursive: true });
      await writeFile(join(home, HOME.applications, `${toHex(hash)}.artifact`), artifact);
      return hash;
    },
  };
}

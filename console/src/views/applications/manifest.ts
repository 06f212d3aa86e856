/** The applications of the chain, as the node says. */
import { type ApplicationManifest, createManifestJson, type ManifestJson } from '@slipstream/app/program';
import type { ArtifactView, QuarantineView } from '@slipstream/schema';
import { client } from '../../node/client.ts';

export interface InstalledApplication {
  readonly name: string;
  readonly number: number;
  /** SHA-256 of the artifact. */
  readonly hash: string;
  readonly manifest: ApplicationManifest;
}

export async function askApplications(signal: AbortSignal): Promise<readonly InstalledApplication[]> {
  const { applications } = await client.call('applications', { signal });
  // The route's schema leaves the content of a manifest to packages/app.
  return applications as unknown as readonly InstalledApplication[];
}

export async function askArtifacts(signal: AbortSignal): Promise<readonly ArtifactView[]> {
  return (await client.call('artifacts', { signal })).artifacts;
}

export async function askQuarantine(signal: AbortSignal): Promise<readonly QuarantineView[]> {
  return (await client.call('quarantine', { signal })).items;
}

const made = new WeakMap<ApplicationManifest, ManifestJson>();

/** Once for a manifest. Throws FormError where a form in it is none. */
export function jsonOfManifest(manifest: ApplicationManifest): ManifestJson {
  const json = made.get(manifest) ?? createManifestJson(manifest);
  made.set(manifest, json);
  return json;
}

/**
 * Whether the manifest that the node shows is the one that the chain runs.
 *
 *   proof of the state --> hash of the artifact <-- artifact --> its manifest <--equal?--> the node's manifest
 *
 * The node's word counts for nothing in it: the page hashes the artifact itself, and the light client verifies the proof.
 */
import { applicationsInState, readArtifact } from '@slipstream/client';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { type Proof, useProof } from '../../proof/use-proof.ts';
import type { InstalledApplication } from './manifest.ts';

export type ManifestCheck =
  | { readonly type: 'checking' }
  | { readonly type: 'verified'; readonly height: number }
  | { readonly type: 'refused' | 'not-checked'; readonly reason: string };

type Artifact = ReturnType<typeof readArtifact>;

export function useManifestCheck(application: InstalledApplication): ManifestCheck {
  const { name, hash } = application;
  const proof = useProof(`applications of the state, ${hash}`, { kind: 'state', of: { type: 'applications' } });
  const { answer } = useQuery(`artifact of ${name} ${hash}`, (signal) => askArtifact(name, signal));
  if (answer.type === 'failed') return { type: 'not-checked', reason: answer.reason };
  if (answer.type === 'loading') return { type: 'checking' };
  return compared(application, answer.value, proof);
}

async function askArtifact(name: string, signal: AbortSignal): Promise<Artifact> {
  // The table of routes has no answer for bytes.
  const artifact: unknown = await client.call('applicationArtifact', { params: { application: name }, signal });
  return readArtifact(artifact as Uint8Array, name);
}

function compared(
  { name, number, hash, manifest }: InstalledApplication,
  artifact: Artifact,
  { verification }: Pick<Proof, 'verification'>,
): ManifestCheck {
  if (verification === undefined || verification.outcome === 'not-yet') return { type: 'checking' };
  const { outcome, entry, reason } = verification;
  if (outcome === 'refused') return { type: 'refused', reason: `the proof of the state does not hold: ${reason}` };
  if (outcome !== 'verified' || entry?.kind !== 'entry')
    return { type: 'not-checked', reason: reason ?? 'the node gives no proof of the state' };
  const refused = (why: string): ManifestCheck => ({ type: 'refused', reason: why });
  const inState = entry.value === null ? undefined : applicationsInState(entry.value)[number];
  if (inState?.name !== name) return refused(`the state names ${inState?.name ?? 'none'} as application ${number}`);
  if (inState.hash !== hash) return refused(`the state has artifact ${inState.hash}, this node says ${hash}`);
  if (artifact.hash !== hash) return refused(`the artifact that this node serves has hash ${artifact.hash}`);
  if (text(artifact.manifest) !== text(manifest))
    return refused('the manifest of this node is not that of the artifact');
  return { type: 'verified', height: entry.height };
}

/** Equal for equal values, whatever the order of their fields. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

/**
 * Which of the reported snapshots to take over.
 *
 * A manifest proves its block and the newest segment of each file; counts and sizes are claims. Honest nodes take the same snapshots, byte
 * for byte, so the one with the most reporting weight of the newest known committee comes first, and failed ones last; none above the space limit (room.ts). Of several
 * manifests the one whose digests reach lowest is used, so that a peer that omits digests spoils nothing.
 */
import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex } from '@slipstream/primitives';
import { type StateSnapshot, stateSnapshotCodec } from '@slipstream/state';
import type { Committee } from '@slipstream/types';
import { type Manifest, ownPreimage } from './manifest.ts';

export interface Reported {
  readonly peer: PeerKey;
  readonly manifest: Manifest;
}

export function snapshotName(snapshot: StateSnapshot): string {
  return toHex(sha256(stateSnapshotCodec.encode(snapshot)));
}

export const bytesOf = ({ files }: StateSnapshot): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

export function heightOf(manifest: Manifest): number {
  return ownPreimage(manifest)?.height ?? 0;
}

const reach = ({ preimages }: Manifest): number => preimages[0]?.height ?? Number.POSITIVE_INFINITY;

/** Peers to wait for. A node that names none may be called by any member. Further peers may be many, and the first to answer. */
export function answersDue(named: readonly PeerKey[], otherMembers: readonly PeerKey[]): readonly PeerKey[] {
  return named.length > 0 ? named : otherMembers;
}

/** Of those that are members; any peer may serve a certified state. */
export function weightOfPeers(peers: ReadonlySet<PeerKey>, { members }: Committee): number {
  return members.reduce((sum, { peerKey, weight }) => (peers.has(peerKey) ? sum + weight : sum), 0);
}

/** By reporting weight, then height; `failed` last. Undefined: none fits into `mayTakeBytes`. */
export function chooseManifest(
  reported: readonly Reported[],
  committee: Committee,
  failed: ReadonlySet<string>,
  mayTakeBytes: number,
): Manifest | undefined {
  const choices = new Map<string, { readonly manifest: Manifest; readonly peers: Set<PeerKey> }>();
  for (const { peer, manifest } of reported) {
    if (bytesOf(manifest.snapshot) > mayTakeBytes) continue;
    const name = snapshotName(manifest.snapshot);
    const known = choices.get(name);
    const fuller = known && reach(known.manifest) <= reach(manifest) ? known.manifest : manifest;
    choices.set(name, { manifest: fuller, peers: new Set([...(known?.peers ?? []), peer]) });
  }
  const ranked = [...choices].map(([name, { manifest, peers }]) => ({
    manifest,
    failures: failed.has(name) ? 1 : 0,
    weight: weightOfPeers(peers, committee),
    height: heightOf(manifest),
  }));
  ranked.sort((a, b) => a.failures - b.failures || b.weight - a.weight || b.height - a.height);
  return ranked[0]?.manifest;
}

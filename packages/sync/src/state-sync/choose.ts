/**
 * Which snapshot is taken over, of those that validators report.
 *
 * A manifest proves its block and the newest segment of each file. Numbers and sizes of files are claims: a liar about them can serve
 * what no honest peer has, and then honest peers seem to serve the wrong bytes. Honest nodes take the same snapshots, byte for byte:
 * the one that the most weight reports goes first, and one that failed goes last. One that claims to be larger than there is room for is
 * not taken at all (room.ts). Of several manifests of the same snapshot, the one whose digests reach lowest shows most: a liar that
 * cuts them off spoils nothing for the honest peers that report the same snapshot.
 */
import { sha256, toHex } from '@slipstream/primitives';
import { type StateSnapshot, stateSnapshotCodec } from '@slipstream/state';
import { type Committee, weightOf } from '@slipstream/types';
import { type Manifest, ownPreimage } from './manifest.ts';

/** A manifest that holds, and the member that reported it. */
export interface Reported {
  readonly member: number;
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

/**
 * After how many answers the wait ends. A node that names no peers is called by others, by any other member perhaps.
 */
export function answersDue(peersNamed: number, otherMembers: number): number {
  return peersNamed > 0 ? peersNamed : otherMembers;
}

/**
 * By the weight of the members that report the same snapshot, then by height; those that `failed` names after all others. Undefined when
 * none fits into `mayTakeBytes`.
 */
export function chooseManifest(
  reported: readonly Reported[],
  committee: Committee,
  failed: ReadonlySet<string>,
  mayTakeBytes: number,
): Manifest | undefined {
  const choices = new Map<string, { readonly manifest: Manifest; readonly members: Set<number> }>();
  for (const { member, manifest } of reported) {
    if (bytesOf(manifest.snapshot) > mayTakeBytes) continue;
    const name = snapshotName(manifest.snapshot);
    const known = choices.get(name);
    const fuller = known && reach(known.manifest) <= reach(manifest) ? known.manifest : manifest;
    choices.set(name, { manifest: fuller, members: new Set([...(known?.members ?? []), member]) });
  }
  const ranked = [...choices].map(([name, { manifest, members }]) => ({
    manifest,
    failures: failed.has(name) ? 1 : 0,
    weight: weightOf(members, committee),
    height: heightOf(manifest),
  }));
  ranked.sort((a, b) => a.failures - b.failures || b.weight - a.weight || b.height - a.height);
  return ranked[0]?.manifest;
}

/**
 * Fetches the artifact of an application by its hash, from one peer after another: all pieces of an attempt come from one peer, so that wrong
 * bytes name who sent them.
 *
 *   peer --piece, piece, last piece--> hash as named? --yes--> the artifact
 *     \--none, or no answer in time--> next peer    \--no--> fault of this peer --> next peer
 */
import type { PeerKey, Random, Transport } from '@slipstream/ports';
import { bytesEqual, concatBytes, sha256, to0x } from '@slipstream/primitives';
import { ARTIFACT_PIECE_BYTES } from '@slipstream/types';
import type { SyncClient } from './client.ts';

interface ArtifactComponents {
  readonly transport: Pick<Transport, 'peers'>;
  readonly random: Pick<Random, 'below'>;
  readonly ask: SyncClient['ask'];
  /** A peer sent what no honest peer sends. */
  readonly onFault: (peer: PeerKey, detail: string) => void;
}

interface WantedArtifact {
  readonly hash: Uint8Array;
  /** Of any artifact. */
  readonly bytesMax: number;
}

/** Of one attempt: a caller tries again later, with others. */
const PEERS_MAX = 8;

/** Undefined: no peer that was asked has it, or `signal` aborted. */
export async function fetchArtifact(
  components: ArtifactComponents,
  wanted: WantedArtifact,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  for (const peer of candidates(components)) {
    if (signal.aborted) return undefined;
    const found = await fetchFrom(components, peer, wanted, signal);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Validators first, each part in a random order. */
function candidates({ transport, random }: ArtifactComponents): readonly PeerKey[] {
  const order = transport
    .peers()
    .filter(({ connected }) => connected)
    .map(({ peer, role }) => ({ peer, place: random.below(1 << 20) + (role === 'validator' ? 0 : 1 << 20) }));
  order.sort((a, b) => a.place - b.place);
  return order.slice(0, PEERS_MAX).map(({ peer }) => peer);
}

async function fetchFrom(
  { ask, onFault }: ArtifactComponents,
  peer: PeerKey,
  { hash, bytesMax }: WantedArtifact,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const response = await ask(peer, { query: 'artifact', id: hash, from: at }, signal);
    const piece = response?.chunks[0];
    if (response === undefined || piece === undefined) return undefined;
    at += piece.length;
    const isWhole = piece.length === ARTIFACT_PIECE_BYTES;
    if (at > bytesMax || piece.length > ARTIFACT_PIECE_BYTES || (response.more && !isWhole)) {
      onFault(peer, `pieces of artifact ${to0x(hash)} that no artifact has: ${piece.length} bytes, up to byte ${at}`);
      return undefined;
    }
    pieces.push(piece.slice());
    if (!response.more) break;
  }
  const artifact = concatBytes(...pieces);
  if (bytesEqual(sha256(artifact), hash)) return artifact;
  onFault(peer, `other bytes than those of artifact ${to0x(hash)}`);
  return undefined;
}

/**
 * Passes each received frame to the package of its kind.
 *
 *   transport --frame--> sender banned? --yes--> dropped
 *                             \--no--> kind: consensus | sync | dissemination
 *                                        \--members-only kind, from no member--> dropped undecoded
 *
 * For consensus and sync an undecodable frame is an offence. Dissemination decodes when its queue has space; sync checks a response's id
 * first.
 */
import type { Consensus, ConsensusFrames } from '@slipstream/consensus';
import type { PeerKey, Transport } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import type { Sync } from '@slipstream/sync';
import { decodeFrame, type Frame, type FrameName, frameNameOf } from '@slipstream/types';

export type DisseminationFrameName =
  | 'chunk'
  | 'chunkAck'
  | 'chunkCertified'
  | 'transactions'
  | 'batchOffer'
  | 'batchAnswer';

export interface FrameRouterComponents {
  readonly transport: Pick<Transport, 'onFrame' | 'onPeer'>;
  readonly consensus: Pick<Consensus, 'acceptsFrom' | 'isMember' | 'onFrame' | 'onPeer' | 'offence'>;
  readonly sync: Pick<Sync, 'onAlive' | 'onFrame' | 'onResponse' | 'onHeartbeat' | 'onPeer'>;
  /** Undecoded, with the kind byte. */
  readonly onDisseminationFrame: (from: PeerKey, name: DisseminationFrameName, frame: Uint8Array) => void;
}

/**
 * Kinds that are not decoded for other peers: many certificates take milliseconds of the main thread. Heartbeats are small, and a node whose
 * whole committee has left learns only by those of others that its epoch is over.
 */
const OF_MEMBERS_ALONE: ReadonlySet<FrameName> = new Set<ConsensusFrames['name']>([
  'consensus',
  'proposal',
  'historyQuery',
  'historyAnswer',
]);

/** Call before the transport starts. */
export function routeFrames(components: FrameRouterComponents): void {
  const { transport, consensus, sync, onDisseminationFrame } = components;

  function route(from: PeerKey, bytes: Uint8Array): void {
    if (!consensus.acceptsFrom(from)) return;
    sync.onAlive(from);
    const name = frameNameOf(bytes);
    if (name !== undefined && OF_MEMBERS_ALONE.has(name) && !consensus.isMember(from)) return;
    switch (name) {
      case 'chunk':
      case 'chunkAck':
      case 'chunkCertified':
      case 'transactions':
      case 'batchOffer':
      case 'batchAnswer':
        return onDisseminationFrame(from, name, bytes);
      case 'syncResponse':
        return sync.onResponse(from, bytes);
      default:
        return routeDecoded(from, bytes);
    }
  }

  function routeDecoded(from: PeerKey, bytes: Uint8Array): void {
    const decoded = decodeFrame(bytes);
    if (!decoded.ok) return consensus.offence(from, 'malformed-frame', decoded.error.message);
    const frame = decoded.value as Exclude<Frame, { readonly name: DisseminationFrameName | 'syncResponse' }>;
    switch (frame.name) {
      case 'syncRequest':
      case 'subscribe':
        return sync.onFrame(from, frame);
      case 'heartbeat':
        sync.onHeartbeat(from, frame.value);
        return consensus.onFrame(from, frame);
      case 'consensus':
      case 'proposal':
      case 'historyQuery':
      case 'historyAnswer':
        return consensus.onFrame(from, frame);
      default:
        return unreachable(frame, 'frame');
    }
  }

  transport.onFrame((from, _lane, frame) => route(from, frame));
  transport.onPeer((event) => {
    consensus.onPeer(event);
    sync.onPeer(event);
  });
}

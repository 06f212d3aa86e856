/**
 * Authenticated, ordered, lossy frames between peers.
 *
 * Who sent a frame is certain (the handshake proved it); whether it arrives is not. Frames of one lane to one peer arrive
 * in order or not at all. Queues are bounded: a full one drops its oldest frames of that lane, and counts them.
 */
import type { Lane, PeerKey } from '@slipstream/primitives';

export { LANES, type Lane, type PeerKey } from '@slipstream/primitives';

export interface Transport {
  readonly self: PeerKey;
  /** False when the peer is not connected, blocked, or its queue dropped something to take this frame. Never waits. */
  send(peer: PeerKey, lane: Lane, frame: Uint8Array): boolean;
  /** To every connected peer that is not blocked; one buffer, shared. */
  broadcast(lane: Lane, frame: Uint8Array): void;
  peers(): readonly PeerStatus[];
  /** One handler; set before start. Frames are within the maximum of their kind. */
  onFrame(handler: (from: PeerKey, lane: Lane, frame: Uint8Array) => void): void;
  onPeer(handler: (event: PeerEvent) => void): void;
  /** Closes the connection and refuses new ones, until unblock or restart. */
  block(peer: PeerKey): void;
  unblock(peer: PeerKey): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PeerStatus {
  readonly peer: PeerKey;
  readonly connected: boolean;
  readonly blocked: boolean;
  readonly address: string | undefined;
  /** Of a peer that should be connected and is not: why the newest attempt failed, in words. */
  readonly failure?: string;
  readonly role: 'validator' | 'full-node' | 'unknown';
  readonly roundTripMs: number | undefined;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly framesIn: number;
  readonly framesOut: number;
  readonly framesDropped: number;
  readonly queuedBytes: number;
}

export type PeerEvent =
  | { readonly type: 'connected'; readonly peer: PeerKey }
  | { readonly type: 'lost'; readonly peer: PeerKey; readonly reason: string }
  /** The transport itself saw a breach of the framing; who consumes it decides about blocking. */
  | {
      readonly type: 'offence';
      readonly peer: PeerKey;
      readonly reason: 'malformed-frame' | 'oversize';
      readonly detail: string;
    };

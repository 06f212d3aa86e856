/**
 * Authenticated, ordered, lossy frames between peers.
 *
 * The handshake proves a frame's sender. Frames of one lane to one peer arrive in order, or not at all: a full queue drops and counts its
 * oldest.
 */
import type { Lane, OutgoingFrame, PeerKey } from '@slipstream/primitives';

export { LANES, type Lane, type PeerKey } from '@slipstream/primitives';

export interface Transport {
  readonly self: PeerKey;
  /** False: not connected, blocked, or older frames were dropped for this one. Never waits. */
  send(peer: PeerKey, lane: Lane, frame: Uint8Array): boolean;
  /** To every connected, unblocked peer; the buffer is shared. */
  broadcast(lane: Lane, frame: Uint8Array): void;
  peers(): readonly PeerStatus[];
  /** One handler, set before start. Frames are within their kind's maximum. */
  onFrame(handler: (from: PeerKey, lane: Lane, frame: Uint8Array) => void): void;
  onPeer(handler: (event: PeerEvent) => void): void;
  /** Closes the connection and refuses new ones, until unblock or restart. */
  block(peer: PeerKey): void;
  unblock(peer: PeerKey): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The transport as consensus, dissemination and sync see it: only frames that may leave can be sent. */
export interface FrameSender {
  send(peer: PeerKey, lane: Lane, frame: OutgoingFrame): boolean;
  broadcast(lane: Lane, frame: OutgoingFrame): void;
}

export interface PeerStatus {
  readonly peer: PeerKey;
  readonly connected: boolean;
  readonly blocked: boolean;
  readonly address: string | undefined;
  /** Why the last attempt to connect failed, for a peer that should be connected. */
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
  /** A violation of the framing. The event's receiver decides about blocking. */
  | {
      readonly type: 'offence';
      readonly peer: PeerKey;
      readonly reason: 'malformed-frame' | 'oversize';
      readonly detail: string;
    };

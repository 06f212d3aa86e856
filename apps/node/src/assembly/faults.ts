/**
 * Faults that a development network asks of this node: links cut, votes signed wrongly.
 *
 *   devnet --IPC of the child process--> receive --> transport refuses peers; corruptVotes is on
 *
 * Nothing listens on the network for this: only the process that started the node can ask, and only where the configuration
 * (development.faults) and the genesis file (development) both allow it.
 */
import type { PeerKey, Transport } from '@slipstream/ports';

export interface Faults {
  readonly corruptSignatures: boolean;
  /** Links to these peers are cut; links cut before and not named now are healed. 64 hexadecimal digits each. */
  readonly cutPeers: readonly string[];
}

/** What a parent process sends. */
export interface FaultMessage {
  readonly type: 'faults';
  readonly faults: Faults;
}

/** The part of `process` that this needs; `on` is of no use without a parent that opened a channel. */
export interface ParentChannel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

export interface FaultDesk {
  /** Whether votes that leave are to be made wrong now. */
  isCorrupt(): boolean;
  stop(): void;
}

const PEERS_MAX = 1024;

export function createFaultDesk(
  parent: ParentChannel | undefined,
  transport: Pick<Transport, 'block' | 'unblock' | 'peers'>,
  corruptFromStart: boolean,
): FaultDesk {
  const cut = new Set<string>();
  let corrupt = corruptFromStart;

  function onMessage(message: unknown): void {
    const faults = faultsOf(message);
    if (faults === undefined) return;
    corrupt = faults.corruptSignatures;
    const wanted = new Set(faults.cutPeers);
    for (const peer of [...cut]) if (!wanted.has(peer)) heal(peer);
    for (const peer of wanted) sever(peer);
  }

  function sever(peer: string): void {
    // Who is refused already was blocked for what it did: healing the link must not lift that.
    const isBlocked = transport.peers().some((status) => status.peer === peer && status.blocked);
    if (cut.has(peer) || isBlocked) return;
    cut.add(peer);
    transport.block(peer as PeerKey);
  }

  function heal(peer: string): void {
    cut.delete(peer);
    transport.unblock(peer as PeerKey);
  }

  parent?.on('message', onMessage);
  return {
    isCorrupt: () => corrupt,
    stop: () => void parent?.off('message', onMessage),
  };
}

/** Undefined for anything else: a parent may have other things to say. */
function faultsOf(message: unknown): Faults | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'faults') return;
  const { faults } = message as Partial<FaultMessage>;
  if (typeof faults !== 'object' || faults === null) return;
  const { corruptSignatures, cutPeers } = faults as Partial<Faults>;
  if (typeof corruptSignatures !== 'boolean' || !Array.isArray(cutPeers) || cutPeers.length > PEERS_MAX) return;
  if (cutPeers.some((peer) => typeof peer !== 'string' || !/^[0-9a-f]{64}$/.test(peer))) return;
  return { corruptSignatures, cutPeers };
}

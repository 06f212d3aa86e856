/**
 * Faults of a development network: cut links, invalid votes.
 *
 *   devnet --IPC of the child process--> receive --> transport blocks peers; corruptVotes is on
 *
 * Only a node whose configuration (development.faults) and genesis (development) allow faults takes them.
 */
import type { FaultMessage, Faults } from '@slipstream/node-home';
import type { PeerKey, Transport } from '@slipstream/ports';

/** The part of `process` used here; `on` has no effect without a parent's channel. */
interface ParentChannel {
  on(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

interface FaultInjection {
  isCorrupt(): boolean;
  stop(): void;
}

const PEERS_MAX = 1024;

export function createFaultInjection(
  parent: ParentChannel | undefined,
  transport: Pick<Transport, 'block' | 'unblock' | 'peers'>,
  corruptFromStart: boolean,
): FaultInjection {
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
    // Restoring a link must not lift a block that was there before.
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

function faultsOf(message: unknown): Faults | undefined {
  if (typeof message !== 'object' || message === null || !('type' in message) || message.type !== 'faults') return;
  const { faults } = message as Partial<FaultMessage>;
  if (typeof faults !== 'object' || faults === null) return;
  const { corruptSignatures, cutPeers } = faults as Partial<Faults>;
  if (typeof corruptSignatures !== 'boolean' || !Array.isArray(cutPeers) || cutPeers.length > PEERS_MAX) return;
  if (cutPeers.some((peer) => typeof peer !== 'string' || !/^[0-9a-f]{64}$/.test(peer))) return;
  return { corruptSignatures, cutPeers };
}

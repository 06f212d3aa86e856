/**
 * Link choice: one connection for each pair of peers.
 *
 * Of two simultaneous dials both ends keep the smaller key's. A peer that connects later has lost its side of the old connection, so the
 * newer one wins.
 */
import type { Clock, PeerEvent, PeerKey, Telemetry } from '@slipstream/ports';
import { openFailure } from './dial-failure.ts';
import type { Dialler } from './dialler.ts';
import { SIMULTANEOUS_DIAL_MS } from './limits.ts';
import type { Link, LinkEnd } from './link.ts';
import type { Peer, PeerTable } from './peers.ts';

interface LinkChoice {
  choose(link: Link): void;
  closed(link: Link, reason: LinkEnd): void;
}

export interface LinkChoiceComponents {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly self: PeerKey;
  readonly peers: PeerTable;
  report(event: PeerEvent): void;
  readonly ended: Dialler['ended'];
  /** Dialled by configuration: its record stays, and it has a place of its own. */
  listed(peer: PeerKey): boolean;
}

export function createLinkChoice(components: LinkChoiceComponents): LinkChoice {
  const { clock, telemetry, self, peers, report } = components;

  function preferred(link: Link): boolean {
    return link.outbound === self < link.peer;
  }

  function choose(link: Link): void {
    const peer = peers.ensure(link.peer);
    const rival = peer.current;
    if (rival === undefined) {
      take(peer, link);
      if (!peer.connected) reportConnected(peer, link);
      link.activate();
      return;
    }
    const simultaneous = (link.openedMs ?? 0) - (rival.openedMs ?? 0) < SIMULTANEOUS_DIAL_MS;
    if (simultaneous && rival.outbound !== link.outbound) {
      if (!preferred(link)) {
        link.close('another connection took over');
        return;
      }
      take(peer, link);
      rival.close('another connection took over');
      link.activate();
      return;
    }
    rival.close('another connection took over');
    take(peer, link);
    reportConnected(peer, link);
    link.activate();
  }

  function take(peer: Peer, link: Link): void {
    peer.opening.delete(link);
    peer.current = link;
    peer.outbox.attach(link.sending);
  }

  function reportConnected(peer: Peer, link: Link): void {
    peer.connected = true;
    telemetry.count('network_connections_total');
    telemetry.event('peer.connected', { peer: link.peer, address: link.address });
    report({ type: 'connected', peer: link.peer });
  }

  function reportLost(peer: Peer, reason: LinkEnd): void {
    peer.connected = false;
    peer.outbox.clear();
    telemetry.event('peer.lost', { peer: peer.key, reason });
    report({ type: 'lost', peer: peer.key, reason });
  }

  /** The peer has closed one of two simultaneous dials, and the other is about to open. */
  function takeoverIsNear(peer: Peer, link: Link, reason: LinkEnd): boolean {
    if (reason !== 'closed by the peer' || link.openedMs === undefined) return false;
    if (clock.monotonicMs() - link.openedMs >= SIMULTANEOUS_DIAL_MS) return false;
    for (const other of peer.opening) if (other.outbound !== link.outbound) return true;
    return false;
  }

  return {
    choose,
    closed(link, reason) {
      const peer = peers.ensure(link.peer);
      peer.opening.delete(link);
      if (peer.current === link) {
        peer.current = undefined;
        peer.outbox.detach();
        if (!takeoverIsNear(peer, link, reason)) reportLost(peer, reason);
      } else if (peer.connected && peer.current === undefined && peer.opening.size === 0) {
        reportLost(peer, reason);
      }
      const { openedMs } = link;
      const isOpened = openedMs !== undefined;
      components.ended(
        link.peer,
        isOpened ? { livedMs: clock.monotonicMs() - openedMs } : { failure: openFailure(reason) },
      );
      peers.release(peer, components.listed(link.peer));
    },
  };
}

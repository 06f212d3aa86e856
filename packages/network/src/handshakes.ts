/**
 * Pending handshakes: bounded; a new one closes the oldest of the busiest address. Honest handshakes take milliseconds, so half-open
 * connections cannot keep peers out. negotiations.ts bounds the answers to each.
 */
import type { MultiaddrConnection } from '@libp2p/interface';
import type { Clock, Telemetry } from '@slipstream/ports';
import { networkOf } from './addresses.ts';
import { boundAnswers } from './negotiations.ts';
import type { ConnectionLimits } from './options.ts';

interface Handshakes {
  begin(connection: MultiaddrConnection): void;
  done(connection: MultiaddrConnection): void;
  readonly pending: number;
  stop(): void;
}

export function createHandshakes(
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Telemetry },
  limits: ConnectionLimits,
): Handshakes {
  /** By network (networkOf), oldest first; values cancel the timeout. */
  const pendingOf = new Map<string, Map<MultiaddrConnection, () => void>>();
  let pending = 0;

  function begin(connection: MultiaddrConnection): void {
    const host = networkOf(connection.remoteAddr);
    if ((pendingOf.get(host)?.size ?? 0) >= limits.handshakesPerAddressMax) evictOldest(host);
    else if (pending >= limits.handshakesMax) evictOldest(busiestHost());
    const ofHost = pendingOf.get(host) ?? new Map<MultiaddrConnection, () => void>();
    pendingOf.set(host, ofHost);
    ofHost.set(
      connection,
      clock.after(limits.handshakeTimeoutMs, () => refuse(connection, 'handshake-timeout')),
    );
    pending++;
    connection.addEventListener('close', () => done(connection));
    boundAnswers(
      connection,
      () => !ofHost.has(connection),
      () => refuse(connection, 'handshake-flood'),
    );
  }

  function done(connection: MultiaddrConnection): void {
    const host = networkOf(connection.remoteAddr);
    const ofHost = pendingOf.get(host);
    const cancel = ofHost?.get(connection);
    if (ofHost === undefined || cancel === undefined) return;
    cancel();
    ofHost.delete(connection);
    if (ofHost.size === 0) pendingOf.delete(host);
    pending--;
  }

  function busiestHost(): string {
    let busiest = '';
    let most = 0;
    for (const [host, connections] of pendingOf) {
      if (connections.size <= most) continue;
      busiest = host;
      most = connections.size;
    }
    return busiest;
  }

  function evictOldest(host: string): void {
    const oldest = pendingOf.get(host)?.keys().next().value;
    if (oldest !== undefined) refuse(oldest, 'handshake-limit');
  }

  function refuse(connection: MultiaddrConnection, reason: string): void {
    done(connection);
    telemetry.count('network_refused_total', 1, { reason });
    connection.abort(new Error(reason));
  }

  return {
    begin,
    done,
    get pending() {
      return pending;
    },
    stop() {
      for (const ofHost of pendingOf.values()) for (const cancel of ofHost.values()) cancel();
      pendingOf.clear();
      pending = 0;
    },
  };
}

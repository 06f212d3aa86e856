/**
 * One connection to one peer, from the handshake to the end.
 *
 *   opening: own lanes and the ping stream are negotiated; the peer's data waits in its window
 *   open:    the owner chose this connection (activate): frames flow both ways
 *   closed:  once, with a reason
 *
 * Each side sends on streams that it opened itself.
 */
import type { Connection, Stream } from '@libp2p/interface';
import type { Clock, Lane, PeerKey, Random } from '@slipstream/ports';
import { abortConnection } from './closing.ts';
import { createDelayLine, type DelayLine } from './delay-line.ts';
import type { FrameOffence } from './frame-parser.ts';
import type { LaneQuotas } from './lane-quotas.ts';
import { createLaneReader, type LaneReader } from './lane-reader.ts';
import { OPEN_TIMEOUT_MS, OTHER_CHAIN_LINGER_MS } from './limits.ts';
import type { Role, Settings } from './options.ts';
import { answerPings, createPinger, type Pinger } from './ping.ts';
import type { Protocols } from './protocols.ts';
import type { UnfinishedFrames } from './unfinished-frames.ts';

export type LinkEnd =
  | 'closed by the peer'
  | 'not opened'
  | 'no sign of life'
  | 'another connection took over'
  | 'another chain'
  | 'offence'
  | 'blocked'
  | 'displaced'
  | 'unfinished frame'
  | 'another role'
  | 'not admitted any more'
  | 'stopped';

export interface Link {
  readonly id: string;
  readonly peer: PeerKey;
  /** As admitted. */
  readonly role: Role;
  readonly outbound: boolean;
  readonly address: string;
  readonly host: string;
  readonly openedMs: number | undefined;
  readonly roundTripMs: number | undefined;
  /** Own streams, once open. */
  readonly sending: ReadonlyMap<Lane, Stream>;
  accept(lane: Lane | 'ping', stream: Stream): void;
  activate(): void;
  close(reason: LinkEnd): void;
}

export interface LinkEvents {
  opened(link: Link): void;
  /** Exactly once. */
  closed(link: Link, reason: LinkEnd): void;
  frame(link: Link, lane: Lane, frame: Uint8Array): void;
  offence(link: Link, offence: FrameOffence): void;
  otherChain(link: Link): void;
  throttled(link: Link, lane: Lane): void;
}

interface LinkComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly connection: Connection;
  readonly peer: PeerKey;
  readonly host: string;
  readonly protocols: Protocols;
  readonly settings: Settings;
  readonly quotas: LaneQuotas;
  readonly unfinished: UnfinishedFrames;
  readonly events: LinkEvents;
}

export function createLink(components: LinkComponents): Link {
  const { clock, connection, peer, protocols, settings, events } = components;
  const sending = new Map<Lane, Stream>();
  const receiving = new Map<Lane | 'ping', Stream>();
  const readers = new Map<Lane, LaneReader>();
  const stops: (() => void)[] = [];
  const opening = new AbortController();
  let pinger: Pinger | undefined;
  let state: 'opening' | 'open' | 'active' | 'closed' = 'opening';
  let openedMs: number | undefined;
  let end: LinkEnd = 'closed by the peer';

  function delayLine<T>(deliver: (value: T) => void): DelayLine<T> | undefined {
    const delay = settings.linkDelayMs?.(peer);
    return delay === undefined ? undefined : createDelayLine(components, delay, deliver);
  }

  async function open(): Promise<void> {
    const cancelTimeout = clock.after(OPEN_TIMEOUT_MS, () => opening.abort(new Error('opening the lanes timed out')));
    try {
      const ping = await openStreams(connection, protocols, sending, opening.signal, () => close('closed by the peer'));
      if (state !== 'opening') return;
      pinger = createPinger({ clock, stream: ping, delayLine, dead: () => close('no sign of life') }, settings.ping);
      state = 'open';
      openedMs = clock.monotonicMs();
      events.opened(link);
    } catch (cause) {
      if (state !== 'opening') return;
      if (cause instanceof Error && cause.name === 'UnsupportedProtocolError') refuseOtherChain();
      else close('not opened');
    } finally {
      cancelTimeout();
    }
  }

  function refuseOtherChain(): void {
    end = 'another chain';
    events.otherChain(link);
    stops.push(clock.after(OTHER_CHAIN_LINGER_MS, () => close('another chain')));
  }

  function accept(lane: Lane | 'ping', stream: Stream): void {
    if (state === 'closed' || receiving.has(lane)) {
      stream.abort(new Error(state === 'closed' ? 'the connection is closed' : `a second stream of the ${lane} lane`));
      return;
    }
    receiving.set(lane, stream);
    stream.addEventListener('close', () => close('closed by the peer'));
    stream.addEventListener('remoteCloseWrite', () => close('closed by the peer'));
    if (lane === 'ping') {
      stops.push(answerPings(stream, delayLine));
      return;
    }
    readers.set(lane, createReader(lane, stream));
    if (state === 'active') readers.get(lane)?.start();
  }

  function createReader(lane: Lane, stream: Stream): LaneReader {
    return createLaneReader(
      {
        clock,
        stream,
        delayLine,
        deliver(frame) {
          pinger?.received();
          events.frame(link, lane, frame);
        },
        offend(offence) {
          events.offence(link, offence);
          close('offence');
        },
        begun: countedFrames(components, link.role, () => close('unfinished frame')),
        throttled: () => events.throttled(link, lane),
      },
      { lane, quota: components.quotas(peer, link.role, lane), frameLimits: settings.frameLimits },
    );
  }

  function activate(): void {
    if (state !== 'open') return;
    state = 'active';
    for (const reader of readers.values()) reader.start();
  }

  function close(reason: LinkEnd): void {
    if (state === 'closed') return;
    // For another chain, the refusal's reason matters, not the final close.
    if (end === 'closed by the peer') end = reason;
    state = 'closed';
    opening.abort(new Error(end));
    pinger?.stop();
    for (const reader of readers.values()) reader.stop();
    for (const stop of stops) stop();
    events.closed(link, end);
    // A stop closes all connections with their unsent data.
    if (end !== 'stopped') abortConnection(connection, end);
  }

  const link: Link = {
    id: connection.id,
    peer,
    role: settings.admit(peer) ?? 'full-node',
    outbound: connection.direction === 'outbound',
    address: connection.remoteAddr.toString(),
    host: components.host,
    sending,
    get openedMs() {
      return openedMs;
    },
    get roundTripMs() {
      return pinger?.roundTripMs;
    },
    accept,
    activate,
    close,
  };
  connection.addEventListener('close', () => close('closed by the peer'));
  void open();
  return link;
}

function countedFrames({ unfinished }: Pick<LinkComponents, 'unfinished'>, role: Role, drop: () => void) {
  return role === 'validator' ? undefined : (bytes: number) => unfinished.begin(bytes, drop);
}

async function openStreams(
  connection: Connection,
  protocols: Protocols,
  sending: Map<Lane, Stream>,
  signal: AbortSignal,
  onClose: () => void,
): Promise<Stream> {
  async function openStream(protocol: string): Promise<Stream> {
    const stream = await connection.newStream(protocol, { signal });
    stream.addEventListener('close', onClose);
    return stream;
  }
  const [ping] = await Promise.all([
    openStream(protocols.ping),
    ...[...protocols.lanes].map(async ([lane, protocol]) => sending.set(lane, await openStream(protocol))),
  ]);
  return ping;
}

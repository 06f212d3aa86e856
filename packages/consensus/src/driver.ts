/**
 * Driver: carries out the core's effects on the ports, and feeds it events.
 *
 *   transport --frames--> decode --> core.step --> log, network, verifier, application, one timer
 *                                       ^---------------- answers ------------------/
 *
 * Events are stepped one at a time, in the order they came. Nothing here decides anything about the protocol.
 */
import type { Clock, PeerKey, Random, Signer, Telemetry, Transport, Verifier } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import {
  type BlockReason,
  decodeFrame,
  type Evidence,
  encodeFrame,
  type Frame,
  frameNameOf,
  hexOf,
  proposalCodec,
} from '@slipstream/types';
import type { SignState, Wal } from '@slipstream/wal';
import type { Application } from './application.ts';
import type { CoreSetting } from './context.ts';
import { type Core, type CoreStatus, createCore } from './core.ts';
import { ConsensusError } from './errors.ts';
import type { Effect, Event } from './events.ts';
import { createFetcher } from './fetcher.ts';
import { type ForeignFrame, isForeign, isOfMembers } from './frame-kinds.ts';
import { createLogMarks, highestRestoredView } from './log-marks.ts';
import { optionFaults } from './options.ts';
import { createOutgoing } from './outgoing.ts';
import { blockRecord, certificateRecord } from './records.ts';
import { createRelay } from './relay.ts';
import { createShutOut } from './shut-out.ts';
import { askAtStartup, type StartupQuestion } from './startup.ts';
import { createSyncClient, type SyncClient } from './sync-client.ts';
import { type Archive, createSyncServer } from './sync-server.ts';
import { createUpstream } from './upstream.ts';
import { verdictOn } from './verdicts.ts';
import { createWakeUp } from './wake-up.ts';

/** A flight recorder. */
export interface CoreRecorder {
  /** The same core, recorded from now on. */
  record(core: Core, setting: CoreSetting): Core;
}

export interface ConsensusComponents {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: Verifier;
  readonly wal: Wal;
  /** Undefined on a node that only follows. */
  readonly signing: { readonly signer: Signer; readonly signState: SignState } | undefined;
  readonly application: Application;
  readonly archive: Archive;
  readonly telemetry: Telemetry;
  readonly recorder?: CoreRecorder | undefined;
  /** Frames of other kinds (chunks, transactions) as they came, kind byte included. */
  readonly onFrame: (from: PeerKey, name: ForeignFrame, frame: Uint8Array) => void;
  readonly onEvidence?: (evidence: Evidence) => void;
  /** A peer is refused from now on; the record that is kept of it. */
  readonly onBlocked?: (peer: PeerKey, reason: BlockReason, detail: string) => void;
  /** Consensus cannot go on; the node stops. Called once. */
  readonly onFatal: (error: unknown) => void;
}

export interface ConsensusSetting extends CoreSetting {
  /** Own messages below this view may be gone from the log by pruning. */
  readonly firstRetainedView: number;
}

export interface Consensus {
  /** Answers peers at once. Resolves when signing is allowed by the start-up question, or there is nothing to sign, or at stop(). */
  start(): Promise<void>;
  stop(): Promise<void>;
  status(): CoreStatus;
  leaderOf: Core['leaderOf'];
  /** The application has something to include, or nothing any more. */
  pendingChanged(): void;
  /** This block is committed: the log may forget everything below its view, but for what stands from `logFloor` on. */
  committed(block: { readonly view: number; readonly height: number }, logFloor?: number): void;
  /** A chunk frame of another producer that is stored here now: for nodes that follow this one. */
  relayChunk(producer: number, frame: Uint8Array): void;
  /** Asks one peer on the sync lane. */
  readonly sync: Pick<SyncClient, 'ask'>;
  /** Blocks a peer for something found outside the core (a bad chunk, a malformed frame). */
  offence(peer: PeerKey, reason: BlockReason, detail: string): void;
  unblock(peer: PeerKey): void;
}

/** Unsynced records are synced at least this often. */
const LOG_SYNC_MS = 2000;

export function createConsensus(components: ConsensusComponents, setting: ConsensusSetting): Consensus {
  const { transport, clock, random, verifier, wal, application, telemetry } = components;
  const faults = optionFaults(setting.options);
  if (faults.length > 0) {
    throw new ConsensusError('options-invalid', `consensus options: ${faults.join('; ')}`, { faults });
  }
  const plainCore = createCore(setting, clock.monotonicMs(), clock.wallMs());
  const core = components.recorder?.record(plainCore, setting) ?? plainCore;
  const marks = createLogMarks(highestRestoredView(setting.restored));
  const queue: Event[] = [];
  const aborts = new Map<string, AbortController>();
  const { committee, self } = setting;
  const memberOf = new Map(committee.members.map((member) => [member.peerKey, member]));
  let stepping = false;
  let stopped = false;
  const wakeUp = createWakeUp(clock, () => feed({ type: 'tick' }));
  let cancelLogSync = () => {};
  let startup: StartupQuestion | undefined;

  const outgoing = createOutgoing(
    {
      signing: components.signing && self !== undefined ? { ...components.signing, self } : undefined,
      wal,
      marks,
      transport,
      telemetry,
      tell: feed,
      fail,
    },
    setting.genesisHash,
  );
  const syncClient = createSyncClient({
    transport,
    clock,
    random,
    telemetry,
    onMalformed: (peer, message) => offence(peer, 'bad-sync', message),
  });
  const fetcher = createFetcher(
    { transport, random, syncClient, committee, self },
    (query, from, { blocks, certificates }) => {
      if (query.type === 'finalized' && blocks.length > 0) upstream?.fetchedRange();
      feed({ type: 'fetched', query, from, blocks, certificates });
    },
  );
  const follows = self === undefined;
  const upstream = follows
    ? createUpstream(
        { transport, clock, random, telemetry, finalizedHeight: () => core.status().finalizedHeight },
        committee,
      )
    : undefined;
  const relay = follows ? undefined : createRelay({ transport, clock, telemetry, current: core.newest }, committee);
  const shutOut = createShutOut(transport, components.onBlocked ?? (() => {}));
  const syncServer = createSyncServer(core, components.archive, components, committee);

  function fail(error: unknown): void {
    if (stopped) return;
    stopped = true;
    wakeUp.cancel();
    cancelLogSync();
    startup?.stop();
    telemetry.log('error', 'consensus stopped: nothing more is signed', { error: String(error) });
    components.onFatal(error);
  }

  function feed(event: Event): void {
    if (stopped) return;
    queue.push(event);
    if (stepping) return;
    stepping = true;
    try {
      for (let next = queue.shift(); next && !stopped; next = queue.shift()) {
        for (const effect of core.step(next, clock.monotonicMs(), clock.wallMs())) perform(effect);
      }
    } catch (error) {
      fail(error);
    } finally {
      stepping = false;
    }
  }

  function perform(effect: Effect): void {
    switch (effect.type) {
      case 'cast':
        return outgoing.cast(effect);
      case 'propose':
        return outgoing.propose(effect);
      case 'resend':
        return outgoing.frame(effect.to, effect.frame);
      case 'resend-proposal':
        return outgoing.proposal(effect.to, effect.proposal);
      case 'heartbeat':
        return transport.broadcast('consensus', encodeFrame('heartbeat', effect.heartbeat));
      case 'persist-block': {
        const { kind, payload } = blockRecord(effect.block);
        marks.add(effect.block.view, wal.append(kind, payload));
        return;
      }
      case 'persist-certificate': {
        const { kind, payload } = certificateRecord(effect.certificate);
        marks.add(effect.certificate.subject.view, wal.append(kind, payload));
        relay?.certificate(effect.certificate);
        return;
      }
      case 'relay-proposal':
        return relay?.proposal(effect.proposal);
      case 'wake':
        return wakeUp.at(effect.atMs);
      case 'verify': {
        const { token, request } = effect;
        return settle(verdictOn(components, request), (verdict) => ({ type: 'verified', token, verdict }));
      }
      case 'build-payload': {
        const { request } = effect;
        return settle(application.buildPayload(request), (payload) => ({ type: 'payload-built', request, payload }));
      }
      case 'check-payload':
        return checkPayload(effect);
      case 'execute':
        settle(application.execute(effect.blockId, effect.block), (digest) => ({
          type: 'executed',
          blockId: effect.blockId,
          digest,
        }));
        return;
      case 'drop':
        aborts.get(hexOf(effect.blockId))?.abort();
        aborts.delete(hexOf(effect.blockId));
        return;
      case 'fetch':
        fetcher.fetch(effect.query, effect.hint);
        return;
      case 'notarized':
        return application.notarized?.(effect.blockId);
      case 'finalized':
        return application.finalized(effect.blockId, effect.block, effect.certificate);
      case 'certified':
        return application.certified(effect.certificate);
      case 'block-peer':
        shutOut.block(effect);
        return upstream?.changed();
      case 'evidence':
        return components.onEvidence?.(effect.evidence);
      case 'report':
        return telemetry.event(effect.event, effect.fields);
      default:
        return unreachable(effect, 'effect');
    }
  }

  /** Turns a promise into an event; a rejection is this node's fault and stops it. */
  function settle<T>(promise: Promise<T>, toEvent: (value: T) => Event): void {
    promise.then((value) => feed(toEvent(value)), fail);
  }

  function checkPayload({ blockId, block }: Extract<Effect, { type: 'check-payload' }>): void {
    const abort = new AbortController();
    aborts.set(hexOf(blockId), abort);
    application.checkPayload(blockId, block, abort.signal).then(
      (verdict) => {
        aborts.delete(hexOf(blockId));
        if (verdict.type === 'invalid') {
          telemetry.event('block.refused', { view: block.view, blockId: hexOf(blockId), reason: verdict.reason });
        }
        feed({ type: 'payload-checked', blockId, verdict });
      },
      (error) => {
        if (!abort.signal.aborted) fail(error);
      },
    );
  }

  function onTransportFrame(from: PeerKey, bytes: Uint8Array): void {
    if (stopped || shutOut.has(from)) return;
    upstream?.heard(from);
    const name = frameNameOf(bytes);
    if (isForeign(name)) return components.onFrame(from, name, bytes);
    if (isOfMembers(name) && !memberOf.has(from)) return;
    if (name === 'syncResponse') return syncClient.onResponse(from, bytes);
    const decoded = decodeFrame(bytes);
    if (!decoded.ok) return offence(from, 'malformed-frame', decoded.error.message);
    onDecoded(from, decoded.value);
  }

  function onDecoded(from: PeerKey, frame: Frame): void {
    switch (frame.name) {
      case 'consensus':
        return feed({ type: 'consensus-frame', from, frame: frame.value });
      case 'proposal':
        return feed({ type: 'proposal', from, proposal: frame.value });
      case 'heartbeat':
        upstream?.heartbeat(from, frame.value);
        return feed({ type: 'heartbeat', from, heartbeat: frame.value });
      case 'startupAsk':
        return answerStartup(from, frame.value.nonce);
      case 'startupAnswer':
        return startup?.onAnswer(from, frame.value);
      case 'syncRequest':
        return syncServer.onRequest(from, frame.value);
      case 'subscribe':
        return relay?.subscribe(from, frame.value);
      default:
        return;
    }
  }

  function answerStartup(from: PeerKey, nonce: number): void {
    const member = memberOf.get(from);
    if (!member) return;
    const { proposals, ...newest } = core.newestOf(member.index);
    const answer = { nonce, ...newest, proposals: proposals.map((proposal) => proposalCodec.encode(proposal)) };
    transport.send(from, 'proposal', encodeFrame('startupAnswer', answer));
  }

  function offence(peer: PeerKey, reason: BlockReason, detail: string): void {
    if (!shutOut.has(peer)) feed({ type: 'offence', peer, reason, detail });
  }

  /** What no sync of a vote took along meanwhile is synced for itself. */
  function syncLogInTime(): void {
    const appended = wal.lastSequence;
    cancelLogSync = clock.after(LOG_SYNC_MS / 2, () => {
      if (wal.durableSequence < appended) wal.sync().catch(fail);
      syncLogInTime();
    });
  }

  async function start(): Promise<void> {
    transport.onFrame((from, _lane, frame) => onTransportFrame(from, frame));
    transport.onPeer((event) => {
      if (event.type === 'connected') {
        startup?.onConnected(event.peer);
        feed({ type: 'peer-connected', peer: event.peer });
      } else if (event.type === 'offence') {
        offence(event.peer, event.reason, event.detail);
      } else {
        relay?.lost(event.peer);
      }
      if (event.type !== 'offence') upstream?.changed();
    });
    await transport.start();
    upstream?.start();
    syncLogInTime();
    feed({ type: 'pending-changed', pending: application.hasPending() });
    if (self === undefined || !components.signing) return;
    const { genesisHash, options, firstRetainedView, restored, refuseUpToView } = setting;
    startup = askAtStartup(
      { transport, clock, random, verifier, telemetry },
      {
        genesisHash,
        self,
        committee,
        askMs: options.startupAskMs,
        firstRetainedView: Math.max(firstRetainedView, refuseUpToView + 1),
        restored,
      },
    );
    await startup.answered.catch((error: unknown) => {
      fail(error);
      throw error;
    });
    feed({ type: 'signing-enabled' });
  }

  return {
    start,
    async stop() {
      if (!stopped) await outgoing.idle();
      stopped = true;
      wakeUp.cancel();
      cancelLogSync();
      startup?.stop();
      syncClient.stop();
      upstream?.stop();
      for (const abort of aborts.values()) abort.abort();
      await transport.stop();
    },
    status: () => core.status(),
    leaderOf: core.leaderOf,
    pendingChanged: () => feed({ type: 'pending-changed', pending: application.hasPending() }),
    committed({ view, height }, logFloor = Number.POSITIVE_INFINITY) {
      const { finalizedView, certifiedHeight } = core.status();
      const below = marks.sequenceBelow(Math.min(view, finalizedView));
      if (below !== undefined && certifiedHeight > 0) wal.prune(Math.min(below, logFloor)).catch(fail);
      feed({ type: 'committed', height });
    },
    relayChunk: (producer, frame) => relay?.chunk(producer, frame),
    sync: syncClient,
    offence,
    unblock(peer) {
      const member = memberOf.get(peer);
      if (member) core.lift(member.index);
      shutOut.lift(peer);
      telemetry.event('peer.unblocked', { peer });
    },
  };
}

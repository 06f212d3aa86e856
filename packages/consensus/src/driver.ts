/**
 * Driver: carries out the core's effects on the ports and feeds it events, one at a time, in order of arrival.
 *
 *   frames, answers, timer --event--> core.step --effects--> log, network, verifier, application, sync
 */
import type { CertificateRequest, PeerEvent, PeerKey } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import {
  epoch as asEpoch,
  type Block,
  type BlockId,
  type BlockReason,
  type Certificate,
  type Committee,
  committeeOfRecord,
  type Epoch,
  type SyncResponse,
  type View,
} from '@slipstream/types';
import { type BannedPeers, createBannedPeers } from './banned-peers.ts';
import type { Consensus, ConsensusComponents, ConsensusFrames, ConsensusSetting, Signing } from './consensus.ts';
import type { CoreSetting } from './context.ts';
import type { Core, CoreStatus } from './core.ts';
import { createEpochHost } from './epoch-host.ts';
import { createEpochMembers, type EpochMembers } from './epoch-members.ts';
import { createEpochSigners } from './epoch-signers.ts';
import { ConsensusError } from './errors.ts';
import type { Effect, Event, FetchQuery, Seal, Verdict } from './events.ts';
import { createHistoryAnswers, type HistoryAnswers } from './history-answers.ts';
import { createLogAppender, type PersistEffect } from './log-appender.ts';
import { createLogMarks, highestRestoredView, type LogMarks } from './log-marks.ts';
import { optionFaults } from './options.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';
import { createPayloadChecks, type PayloadChecks } from './payload-checks.ts';
import { createSigningPermission, type SigningPermission } from './signing-permission.ts';
import { verdictOn, verdictsOnCertificates } from './verdicts.ts';
import { createWakeUp, type WakeUp } from './wake-up.ts';

/** Throws ConsensusError `options-invalid`. */
export function createConsensus(components: ConsensusComponents, setting: ConsensusSetting): Consensus {
  const faults = optionFaults(setting.options);
  if (faults.length > 0) {
    throw new ConsensusError('options-invalid', `consensus options: ${faults.join('; ')}`, { faults });
  }
  return new Driver(components, setting);
}

interface CertificateCheck {
  readonly token: number;
  readonly request: CertificateRequest;
}

class Driver implements Consensus {
  readonly #components: ConsensusComponents;
  readonly #setting: ConsensusSetting;
  readonly #core: Core;
  readonly #members: EpochMembers;
  /** In the current epoch. */
  #self: number | undefined;
  readonly #marks: LogMarks;
  readonly #appendToLog: (effect: PersistEffect) => void;
  readonly #outgoing: Outgoing;
  readonly #payloadChecks: PayloadChecks;
  readonly #bannedPeers: BannedPeers;
  readonly #wakeUp: WakeUp;
  readonly #events: Event[] = [];
  #stepping = false;
  #stopped = false;
  readonly #permission: SigningPermission;
  #permitted: Promise<void> | undefined;
  readonly #historyAnswers: HistoryAnswers;

  constructor(components: ConsensusComponents, setting: ConsensusSetting) {
    const { transport, clock, wal, telemetry, recorder, signing, application } = components;
    const { genesisHash, restored } = setting;
    const committee = committeeOfRecord(setting.record);
    const signers = createEpochSigners(setting.selfIn, signing);
    const feed = (event: Event): void => this.#feed(event);
    const fail = (error: unknown): void => this.#fail(error);
    this.#components = components;
    this.#setting = setting;
    const wrap = recorder && ((core: Core, of: CoreSetting) => recorder.record(core, of));
    const selfIn = (of: Committee): number | undefined => signers.begin(of);
    this.#core = createEpochHost({ ...setting, selfIn }, clock.monotonicMs(), clock.wallMs(), { wrap });
    this.#members = createEpochMembers(committee);
    this.#expectNext();
    this.#self = signers.begin(committee);
    this.#marks = createLogMarks(highestRestoredView(restored));
    this.#appendToLog = createLogAppender(wal, this.#marks);
    this.#outgoing = createOutgoing(
      { signState: signing?.signState, signerOf: signers.of, wal, marks: this.#marks, transport, report: feed, fail },
      genesisHash,
    );
    this.#permission = createSigningPermission(components, setting, (finalizedUpToView) =>
      feed({ type: 'signing-enabled', finalizedUpToView }),
    );
    this.#historyAnswers = createHistoryAnswers({
      transport,
      members: this.#members,
      newestOf: (member) => this.#core.newestOf(member),
      isReplaying: () => this.#nextByLog() !== undefined,
    });
    this.#payloadChecks = createPayloadChecks({ application, telemetry, report: feed, fail });
    this.#bannedPeers = createBannedPeers(transport, components.onBanned);
    this.#wakeUp = createWakeUp(clock, () => feed({ type: 'tick' }));
  }

  async start(): Promise<void> {
    const { application, wal } = this.#components;
    void wal.failed.then((error) => this.#fail(error));
    this.#feed({ type: 'pending-changed', pending: application.hasPending() });
    // The log may have led to a later epoch already.
    this.#permitted ??= this.#seekPermission(true);
    await this.#permitted;
  }

  #seekPermission(mayHaveBegun: boolean): Promise<void> {
    const sought = this.#permission.seek(this.#members.committee, this.#self, mayHaveBegun);
    sought.catch((error: unknown) => this.#fail(error));
    return sought;
  }

  async stop(): Promise<void> {
    if (!this.#stopped) await this.#outgoing.idle();
    this.#halt();
    this.#payloadChecks.stop();
  }

  committee = (): Committee => this.#members.committee;
  epoch = (): Epoch => this.#members.committee.epoch;
  self = (): number | undefined => this.#self;

  status(): CoreStatus {
    return this.#core.status();
  }

  signing(): Signing | undefined {
    const { refuseUpToView } = this.#setting;
    if (this.#self === undefined) return undefined;
    const { view, signing } = this.#core.status();
    if (view <= refuseUpToView) return { state: 'refused', upToView: refuseUpToView };
    return signing ? { state: 'signing' } : { state: 'querying', unanswered: this.#permission.unanswered };
  }

  leaderOf(view: View): number {
    return this.#core.leaderOf(view);
  }

  acceptsFrom(peer: PeerKey): boolean {
    return !this.#stopped && !this.#bannedPeers.has(peer);
  }

  isMember(peer: PeerKey): boolean {
    return this.#members.has(peer);
  }

  onFrame(from: PeerKey, frame: ConsensusFrames): void {
    switch (frame.name) {
      case 'consensus':
        return this.#feed({ type: 'consensus-frame', from, frame: frame.value });
      case 'proposal':
        return this.#feed({ type: 'proposal', from, proposal: frame.value });
      case 'heartbeat':
        if (!this.#members.mayReport(from, frame.value, this.#components.clock.monotonicMs())) return;
        return this.#feed({ type: 'heartbeat', from, heartbeat: frame.value });
      case 'historyQuery':
        return this.#onHistoryQuery(from, frame.value);
      case 'historyAnswer':
        return this.#permission.onAnswer(from, frame.value);
      default:
        return unreachable(frame, 'consensus frame');
    }
  }

  onPeer(event: PeerEvent): void {
    if (event.type === 'offence') return this.offence(event.peer, event.reason, event.detail);
    if (event.type === 'lost') return;
    this.#permission.onConnected(event.peer);
    this.#feed({ type: 'peer-connected', peer: event.peer });
  }

  onFetched(query: FetchQuery, from: PeerKey, response: Pick<SyncResponse, 'blocks' | 'certificates'>): void {
    const { blocks, certificates } = response;
    this.#feed({ type: 'fetched', query, from, blocks, certificates });
  }

  pendingChanged(): void {
    this.#feed({ type: 'pending-changed', pending: this.#components.application.hasPending() });
  }

  committed(
    { view, height }: { readonly view: number; readonly height: number },
    logFloor: number = Number.POSITIVE_INFINITY,
  ): void {
    const { finalizedView, certifiedHeight } = this.#core.status();
    const below = this.#marks.sequenceBelow(Math.min(view, finalizedView));
    if (below !== undefined && certifiedHeight > 0) {
      this.#components.wal.prune(Math.min(below, logFloor)).catch((error: unknown) => this.#fail(error));
    }
    this.#feed({ type: 'committed', height });
  }

  offence(peer: PeerKey, reason: BlockReason, detail: string): void {
    if (!this.#bannedPeers.has(peer)) this.#feed({ type: 'offence', peer, reason, detail });
  }

  unblock(peer: PeerKey): void {
    const member = this.#members.current(peer);
    if (member) this.#core.lift(member.index);
    this.#bannedPeers.lift(peer);
    this.#components.telemetry.event('peer.unblocked', { peer });
  }

  sealed(seal: Seal): void {
    this.#members.sealed(committeeOfRecord(seal.record));
    this.#feed({ type: 'sealed', ...seal });
  }

  blockById(id: BlockId): Block | undefined {
    return this.#core.blockById(id)?.block;
  }

  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[] {
    return this.#core.certificatesInRange(from, to, limit);
  }

  newestCertificates(limit: number): readonly Certificate[] {
    return this.#core.newest(limit);
  }

  finalizedHeight(): number {
    return this.#core.status().finalizedHeight;
  }

  #feed(event: Event): void {
    if (this.#stopped) return;
    this.#events.push(event);
    if (this.#stepping) return;
    const { clock } = this.#components;
    this.#stepping = true;
    try {
      for (let next = this.#events.shift(); next && !this.#stopped; next = this.#events.shift()) {
        this.#performAll(this.#core.step(next, clock.monotonicMs(), clock.wallMs()));
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#stepping = false;
    }
  }

  #performAll(effects: readonly Effect[]): void {
    const certificates: CertificateCheck[] = [];
    for (const effect of effects) {
      if (effect.type === 'verify' && effect.request.type === 'certificate') {
        certificates.push({ token: effect.token, request: effect.request.request });
      } else {
        this.#perform(effect);
      }
    }
    if (certificates.length > 0) this.#verifyCertificates(certificates);
  }

  #verifyCertificates(checks: readonly CertificateCheck[]): void {
    verdictsOnCertificates(
      this.#components,
      checks.map(({ request }) => request),
    ).then(
      (verdicts) => {
        for (const [at, { token }] of checks.entries()) {
          this.#feed({ type: 'verified', token, verdict: verdicts[at] as Verdict });
        }
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #perform(effect: Effect): void {
    const { application, sync, telemetry } = this.#components;
    switch (effect.type) {
      case 'cast':
      case 'propose':
      case 'resend':
      case 'resend-proposal':
      case 'heartbeat':
        return this.#outgoing.perform(effect);
      case 'persist-block':
      case 'persist-epoch':
        return this.#appendToLog(effect);
      case 'persist-certificate':
        this.#appendToLog(effect);
        return sync.relayCertificate(effect.certificate);
      case 'verify':
      case 'build-payload':
      case 'check-payload':
      case 'execute':
        return this.#request(effect);
      case 'drop':
        return this.#payloadChecks.drop(effect.blockId);
      case 'relay-proposal':
        return sync.relayProposal(effect.proposal);
      case 'fetch':
        return sync.fetch(effect.query, effect.hint);
      case 'wake':
        return this.#wakeUp.at(effect.atMs);
      case 'notarized':
        return application.notarized?.(effect.blockId);
      case 'finalized':
        return application.finalized(effect.blockId, effect.block, effect.certificate);
      case 'certified':
        return application.certified(effect.certificate);
      case 'moved':
        return application.moved?.(effect);
      case 'epoch-begun':
        return this.#begin(effect);
      case 'block-peer':
        return this.#bannedPeers.block(effect);
      case 'evidence':
        return this.#components.onEvidence?.(effect.evidence);
      case 'report':
        return telemetry.event(effect.event, effect.fields);
      default:
        return unreachable(effect, 'effect');
    }
  }

  #begin({ record, committee, self, mayHaveBegun }: Extract<Effect, { type: 'epoch-begun' }>): void {
    this.#members.moved(committee);
    this.#expectNext();
    this.#self = self;
    const { epoch, blocked } = this.#core.status();
    // One step may move through several epochs.
    if (epoch === committee.epoch) {
      this.#bannedPeers.moved(committee, blocked);
      this.#historyAnswers.moved();
    }
    this.#components.onEpoch?.({ record, self });
    this.#components.sync.moved({ committee, self });
    this.#permitted = this.#seekPermission(mayHaveBegun);
  }

  #expectNext(): void {
    const next = this.#nextByLog();
    if (next !== undefined) this.#members.sealed(committeeOfRecord(next.seal.record));
  }

  #nextByLog = () => this.#setting.restored.begun.get(asEpoch(this.epoch() + 1));

  /** Effects whose answer is an event. */
  #request(effect: Extract<Effect, { type: 'verify' | 'build-payload' | 'check-payload' | 'execute' }>): void {
    const { application } = this.#components;
    switch (effect.type) {
      case 'verify': {
        const { token, request } = effect;
        const verdict = verdictOn(this.#components, request);
        return this.#feedOn(verdict, (answer) => ({ type: 'verified', token, verdict: answer }));
      }
      case 'build-payload': {
        const { request } = effect;
        const payload = application.buildPayload(request);
        return this.#feedOn(payload, (answer) => ({ type: 'payload-built', request, payload: answer }));
      }
      case 'check-payload':
        return this.#payloadChecks.check(effect.blockId, effect.block);
      case 'execute': {
        const { blockId, block } = effect;
        return this.#feedOn(application.execute(blockId, block), (digest) => ({ type: 'executed', blockId, digest }));
      }
      default:
        return unreachable(effect, 'effect');
    }
  }

  /** A rejection is a fault of this node, and stops it. */
  #feedOn<T>(promise: Promise<T>, toEvent: (value: T) => Event): void {
    promise.then(
      (value) => this.#feed(toEvent(value)),
      (error: unknown) => this.#fail(error),
    );
  }

  #onHistoryQuery(from: PeerKey, query: { readonly epoch: Epoch; readonly nonce: number }): void {
    if (query.epoch < this.epoch()) this.#feed({ type: 'peer-behind', peer: from, epoch: query.epoch });
    else this.#historyAnswers.onQuery(from, query);
  }

  #fail(error: unknown): void {
    if (this.#stopped) return;
    this.#halt();
    this.#components.telemetry.log('error', 'consensus stopped: nothing more is signed', { error: String(error) });
    this.#components.onFatal(error);
  }

  #halt(): void {
    this.#stopped = true;
    this.#wakeUp.cancel();
    this.#permission.stop();
  }
}

/**
 * Epoch host: the cores of a node's epochs, as one core.
 *
 *   frames, answers --by epoch--> core e  --moved--> closed core e: Certify up to the boundary, until that is certified
 *                            \--> core e+1, from the boundary on
 *                             \-> early frames of e+1: retained until the move, bounded per sender
 *
 * Each core is an instance of its own, rooted in the last block of the epoch before, so votes of two committees never meet. Verifications
 * and wake-ups of both are merged here. A peer that is still in the closed epoch gets the certificate that ended it.
 */
import type { PeerKey } from '@slipstream/ports';
import { assert, bytesEqual, unreachable } from '@slipstream/primitives';
import {
  type Certificate,
  type Committee,
  type ConsensusFrame,
  committeeOfRecord,
  type Epoch,
  type EpochEnd,
  type EpochRecord,
  epoch as epochOf,
  type Finalization,
  type StateCertificate,
  type View,
} from '@slipstream/types';
import type { CoreSetting } from './context.ts';
import { type Core, createCore } from './core.ts';
import { createEarlyFrames, type EarlyFrames } from './early-frames.ts';
import type { BegunEpoch, Effect, Event, Seal } from './events.ts';
import { type ConsensusOptions, FUTURE_TIMESTAMP_MS } from './options.ts';
import { createPeerInterval } from './peer-interval.ts';
import { effectWithPeer, eventWithPeer, type MemberNames, namesIn, passedOn } from './renamed-members.ts';
import { type RestoredLog, restoredOf } from './restored-log.ts';

export interface EpochHostSetting
  extends Omit<CoreSetting, 'committee' | 'self' | 'restored' | 'ended' | 'blocked' | 'finalHeightOf'> {
  /** Of the epoch to start in: the root's, or the next one where the root is a boundary. */
  readonly record: EpochRecord;
  /** How the epoch before that one ended, by the ledger. */
  readonly ended?: EpochEnd | undefined;
  /** This node's index in a committee; undefined: it follows. */
  readonly selfIn: (committee: Committee) => number | undefined;
  readonly restored: RestoredLog;
  /** Default: those of the first epoch. */
  readonly optionsIn?: ((record: EpochRecord) => ConsensusOptions) | undefined;
}

interface EpochHostHooks {
  /** Wraps each new core, to record it. */
  readonly wrap?: ((core: Core, setting: CoreSetting) => Core) | undefined;
}

interface Running {
  readonly core: Core;
  readonly setting: CoreSetting;
  wakeAtMs: number;
}

interface Closed {
  readonly running: Running;
  readonly boundaryHeight: number;
}

type Moved = Extract<Effect, { readonly type: 'moved' }>;
type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

/** The most by which clocks of validators that voted for a boundary are apart from that of this node. */
const CLOCKS_APART_MS = 2 * FUTURE_TIMESTAMP_MS;
/** A peer that is behind gets the certificate of its epoch's end this often. */
const SEND_END_EVERY_MS = 1_000;

export function createEpochHost(
  setting: EpochHostSetting,
  nowMs: number,
  wallMs: number,
  { wrap = (core) => core }: EpochHostHooks = {},
): Core {
  return new EpochHost(setting, nowMs, wallMs, wrap);
}

class EpochHost implements Core {
  readonly #setting: EpochHostSetting;
  readonly #wrap: NonNullable<EpochHostHooks['wrap']>;
  #nowMs: number;
  #wallMs: number;
  readonly #startWallMs: number;
  /** Of the running step. */
  #effects: Effect[] = [];
  #current: Running;
  #closed: Closed | undefined;
  #sealed: Seal | undefined;
  #early: EarlyFrames | undefined;
  #names: MemberNames;
  #nextNames: MemberNames = namesIn(undefined);
  /** A node that catches up may know its epoch's end before it has executed the seal. */
  #awaitsSeal: Moved | undefined;
  /** What made the boundary of the last epoch final. */
  #ended: Finalization | StateCertificate | undefined;
  readonly #mayGetEnd = createPeerInterval(SEND_END_EVERY_MS);
  /** Tokens of the cores by the host's. */
  readonly #tokens = new Map<number, { readonly of: Running; readonly token: number }>();
  #nextToken = 1;
  #signing: EventOf<'signing-enabled'> | undefined;
  #pending = false;

  constructor(setting: EpochHostSetting, nowMs: number, wallMs: number, wrap: NonNullable<EpochHostHooks['wrap']>) {
    this.#setting = setting;
    this.#wrap = wrap;
    this.#nowMs = nowMs;
    this.#wallMs = wallMs;
    this.#startWallMs = wallMs;
    const { record, restored, ended } = setting;
    this.#names = namesIn(record);
    const committee = committeeOfRecord(record);
    const next = this.#nextInLog(record.epoch);
    if (next !== undefined) this.#expect(next.seal);
    this.#ended = (ended ?? restored.begun.get(record.epoch)?.end)?.certificate;
    this.#current = this.#run({
      ...this.#settingOf(committee, setting.selfIn(committee)),
      root: rootOf(setting),
      ended: next !== undefined,
      restored: restoredOf(restored, record.epoch),
    });
  }

  step(event: Event, nowMs: number, wallMs: number): readonly Effect[] {
    this.#nowMs = nowMs;
    this.#wallMs = wallMs;
    this.#effects = [];
    this.#route(event);
    // Several epochs may have ended by the log.
    while (this.#awaitsSeal && this.#sealed) this.#move(this.#awaitsSeal, this.#sealed);
    const wakeAtMs = Math.min(this.#current.wakeAtMs, this.#closed?.running.wakeAtMs ?? Number.POSITIVE_INFINITY);
    this.#effects.push({ type: 'wake', atMs: wakeAtMs });
    return this.#effects;
  }

  status: Core['status'] = () => this.#current.core.status();
  newestOf: Core['newestOf'] = (member) => this.#current.core.newestOf(member);
  leaderOf: Core['leaderOf'] = (view) => this.#current.core.leaderOf(view);
  lift: Core['lift'] = (member) => this.#current.core.lift(member);
  state: Core['state'] = () => this.#current.core.state();

  blockById: Core['blockById'] = (id) => this.#current.core.blockById(id) ?? this.#closed?.running.core.blockById(id);

  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[] {
    const found = this.#current.core.certificatesInRange(from, to, limit);
    const older = this.#closed?.running.core.certificatesInRange(from, to, limit - found.length) ?? [];
    return [...found, ...older];
  }

  newest(limit: number): readonly Certificate[] {
    const found = this.#current.core.newest(limit);
    return this.#ended === undefined || found.length >= limit ? found : [this.#ended, ...found];
  }

  #nextInLog(epoch: Epoch): BegunEpoch | undefined {
    return this.#setting.restored.begun.get(epochOf(epoch + 1));
  }

  #settingOf(committee: Committee, self: number | undefined): Omit<CoreSetting, 'restored' | 'ended'> {
    const { genesisHash, options, root, refuseUpToView, nullifyUpToView, voteChecks } = this.#setting;
    return { genesisHash, options, root, refuseUpToView, nullifyUpToView, voteChecks, committee, self };
  }

  #run(setting: CoreSetting): Running {
    const core = this.#wrap(createCore(setting, this.#nowMs, this.#wallMs), setting);
    return { core, setting, wakeAtMs: Number.POSITIVE_INFINITY };
  }

  #route(event: Event): void {
    switch (event.type) {
      case 'consensus-frame':
        return this.#splitFrame(event);
      case 'proposal':
        return this.#onProposal(event);
      case 'verified':
        return this.#onVerified(event);
      case 'cast-done': {
        const epoch = event.votes[0]?.subject.epoch ?? event.confirmation?.block.epoch;
        return epoch === undefined ? undefined : this.#giveTo(epoch, event);
      }
      case 'propose-done':
        return this.#giveTo(event.proposal.block.epoch, event);
      case 'sealed':
        return this.#onSealed(event);
      case 'signing-enabled':
        this.#signing = event;
        // After a start the closed core signs its state votes from here on.
        if (this.#closed !== undefined) this.#give(this.#closed.running, event);
        break;
      case 'pending-changed':
        this.#pending = event.pending;
        break;
      case 'tick':
      case 'peer-connected':
      case 'executed':
      case 'committed':
      case 'fetched':
        if (this.#closed !== undefined) this.#give(this.#closed.running, event);
        break;
      case 'peer-behind':
        return this.#sendEnd(event.peer, event.epoch);
      case 'heartbeat':
        this.#sendEnd(event.from, event.heartbeat.epoch);
        break;
      case 'offence':
      case 'payload-built':
      case 'payload-checked':
      case 'certified-below':
        break;
      default:
        return unreachable(event, 'event');
    }
    this.#give(this.#current, event);
  }

  #of(epoch: Epoch): Running | undefined {
    if (epoch === this.#current.setting.committee.epoch) return this.#current;
    const closed = this.#closed?.running;
    return epoch === closed?.setting.committee.epoch ? closed : undefined;
  }

  #giveTo(epoch: Epoch, event: Event): void {
    const running = this.#of(epoch);
    if (running !== undefined) this.#give(running, event);
  }

  #splitFrame(event: EventOf<'consensus-frame'>): void {
    const { from, frame } = event;
    const epochs = epochsIn(frame);
    const { epoch } = this.#current.setting.committee;
    if (epochs.size === 0) return this.#give(this.#current, event);
    const partOf = (each: Epoch) => (epochs.size === 1 ? frame : partOfEpoch(frame, each));
    for (const each of epochs) {
      if (each === epoch + 1) this.#early?.keepFrame(this.#nextNames.after(from), partOf(each));
      if (each < epoch) this.#sendEnd(from, each);
      const running = this.#of(each);
      if (running !== undefined) this.#give(running, { ...event, frame: partOf(each) });
    }
  }

  #onProposal(event: EventOf<'proposal'>): void {
    const { epoch } = event.proposal.block;
    const current = this.#current.setting.committee.epoch;
    if (epoch === current) this.#give(this.#current, event);
    else if (epoch === current + 1) this.#early?.keepProposal(this.#nextNames.after(event.from), event.proposal);
    else if (epoch < current) this.#sendEnd(event.from, epoch);
  }

  /** The core that asked may have been dropped meanwhile. */
  #onVerified(event: EventOf<'verified'>): void {
    const asked = this.#tokens.get(event.token);
    this.#tokens.delete(event.token);
    const isRunning = asked?.of === this.#current || asked?.of === this.#closed?.running;
    if (asked && isRunning) this.#give(asked.of, { ...event, token: asked.token });
  }

  /** Repeated, or late: of an epoch that has begun. */
  #onSealed(event: EventOf<'sealed'>): void {
    if (this.#sealed !== undefined || event.record.epoch !== this.#current.setting.committee.epoch + 1) return;
    const { recordHash, height, record } = event;
    this.#expect({ recordHash, height, record });
    this.#give(this.#current, event);
  }

  #expect(seal: Seal): void {
    this.#sealed = seal;
    this.#early = createEarlyFrames(committeeOfRecord(seal.record));
    this.#nextNames = namesIn(seal.record);
  }

  /** Its epoch has ended: it needs the certificate that ended it. */
  #sendEnd(peer: PeerKey, epoch: Epoch): void {
    const ended = this.#ended;
    if (ended === undefined || ended.subject.epoch !== epoch) return;
    if (this.#mayGetEnd.pass(peer, this.#nowMs)) this.#effects.push(endFrame(ended, peer));
  }

  #give(running: Running, event: Event): void {
    const isClosed = running === this.#closed?.running;
    const known = eventWithPeer(event, isClosed ? this.#names.before : this.#nextNames.before);
    for (const made of running.core.step(known, this.#nowMs, this.#wallMs)) {
      const effect = isClosed ? effectWithPeer(made, this.#names.after) : made;
      switch (effect.type) {
        case 'wake':
          running.wakeAtMs = effect.atMs;
          break;
        case 'verify': {
          const token = this.#nextToken++;
          this.#tokens.set(token, { of: running, token: effect.token });
          this.#effects.push({ ...effect, token });
          break;
        }
        case 'certified':
          this.#effects.push(effect);
          this.#noteCertified(effect.certificate);
          break;
        case 'moved':
          this.#effects.push(effect);
          this.#awaitsSeal = effect;
          break;
        default:
          this.#effects.push(effect);
      }
    }
  }

  /** Core e ends with the certificate of its boundary, or of a block above it. */
  #noteCertified({ subject }: StateCertificate): void {
    const closed = this.#closed;
    if (closed === undefined) return;
    if (subject.epoch === closed.running.setting.committee.epoch) {
      this.#give(this.#current, { type: 'certified-below', height: subject.height });
    }
    if (subject.height >= closed.boundaryHeight) this.#closed = undefined;
  }

  #move({ type: _, ...end }: Moved, seal: Seal): void {
    const { block, blockId, certificate } = end;
    const running = this.#current;
    const early = this.#early;
    const { record } = seal;
    const names = block.next !== undefined && bytesEqual(block.next, seal.recordHash);
    assert(names, 'the boundary names the record that is certified here (rule 10)');
    const { certifiedHeight, committedHeight } = running.core.status();
    const committee = committeeOfRecord(record);
    const self = this.#setting.selfIn(committee);
    const next = this.#nextInLog(record.epoch);
    if (!this.#setting.restored.begun.has(record.epoch))
      this.#effects.push({ type: 'persist-epoch', begun: { seal, end } });
    // What an earlier life signed there, the members of that epoch alone know (H4).
    const mayHaveBegun = running.setting.ended || block.timestampMs <= this.#startWallMs + CLOCKS_APART_MS;
    if (mayHaveBegun) this.#signing = undefined;
    this.#effects.push({ type: 'epoch-begun', record, committee, self, mayHaveBegun });
    this.#sealed = undefined;
    this.#early = undefined;
    this.#names = namesIn(record);
    this.#nextNames = namesIn(undefined);
    if (next !== undefined) this.#expect(next.seal);
    this.#current = this.#run({
      ...this.#settingOf(committee, self),
      options: this.#setting.optionsIn?.(record) ?? this.#setting.options,
      root: { block, blockId, certificate: undefined, below: { committedHeight, certifiedHeight } },
      restored: restoredOf(this.#setting.restored, record.epoch),
      ended: next !== undefined,
      ...passedOn(running, record),
    });
    this.#closed = certifiedHeight >= block.height ? undefined : { running, boundaryHeight: block.height };
    this.#ended = certificate;
    this.#awaitsSeal = undefined;
    this.#mayGetEnd.clear();
    // Frames of consensus count from members only.
    if (running.setting.self !== undefined) this.#effects.push(endFrame(certificate, undefined));
    this.#give(this.#current, { type: 'pending-changed', pending: this.#pending });
    if (this.#signing) this.#give(this.#current, this.#signing);
    for (const event of early?.take() ?? []) this.#give(this.#current, event);
  }
}

/** Final by definition, unless a certificate of the same epoch is known: that of a boundary is of the epoch before, another may be of a later one. */
function rootOf({ root, record }: EpochHostSetting): CoreSetting['root'] {
  const { block, certificate } = root;
  const epoch = block.next === undefined ? block.epoch : block.epoch + 1;
  assert(
    record.epoch === epoch,
    `the record of epoch ${record.epoch} is not of the epoch to start in, which is ${epoch}`,
  );
  const { height } = block;
  if (certificate?.subject.epoch === epoch) return root;
  return { ...root, certificate: undefined, below: { committedHeight: height, certifiedHeight: height } };
}

function endFrame(ended: Certificate, to: PeerKey | undefined): Effect {
  return { type: 'resend', to, frame: { votes: [], certificates: [ended], confirmations: [] } };
}

function epochsIn({ votes, certificates, confirmations }: ConsensusFrame): ReadonlySet<Epoch> {
  const epochs = new Set<Epoch>();
  for (const { subject } of votes) epochs.add(subject.epoch);
  for (const { subject } of certificates) epochs.add(subject.epoch);
  for (const { epoch } of confirmations) epochs.add(epoch);
  return epochs;
}

function partOfEpoch({ votes, certificates, confirmations }: ConsensusFrame, epoch: Epoch): ConsensusFrame {
  return {
    votes: votes.filter(({ subject }) => subject.epoch === epoch),
    certificates: certificates.filter(({ subject }) => subject.epoch === epoch),
    confirmations: confirmations.filter((confirmation) => confirmation.epoch === epoch),
  };
}

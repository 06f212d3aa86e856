/**
 * Epoch host: the cores of a node's epochs, as one core.
 *
 *   frames, answers --by epoch--> core e  --moved--> closed core e: Certify up to the boundary, until that is certified
 *                            \--> core e+1, from the boundary on
 *                             \-> early frames of e+1: kept until the move, bounded per sender
 *
 * Each core is an instance of its own, rooted in the last block of the epoch before, so votes of two committees never meet. Verifications
 * and wake-ups of both are merged here. A peer that is still in the closed epoch gets the certificate that ended it.
 */
import type { PeerKey } from '@slipstream/ports';
import { assert, bytesEqual, unreachable } from '@slipstream/primitives';
import type {
  Certificate,
  Committee,
  ConsensusFrame,
  Epoch,
  Finalization,
  StateCertificate,
  View,
} from '@slipstream/types';
import { type CoreSetting, NOTHING_RESTORED } from './context.ts';
import { type Core, createCore } from './core.ts';
import { createEarlyFrames, type EarlyFrames } from './early-frames.ts';
import type { Effect, Event } from './events.ts';

export interface EpochHostSetting extends CoreSetting {
  /** This node's index in a committee; undefined: it follows. Default: the member with the peer key of the first committee. */
  readonly selfIn?: ((committee: Committee) => number | undefined) | undefined;
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

type Sealed = Extract<Event, { readonly type: 'sealed' }>;
type Moved = Extract<Effect, { readonly type: 'moved' }>;
type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

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
  /** Of the running step. */
  #effects: Effect[] = [];
  #current: Running;
  #closed: Closed | undefined;
  #sealed: Sealed | undefined;
  #early: EarlyFrames | undefined;
  /** A node that catches up may know its epoch's end before it has executed the seal. */
  #awaitsSeal: Moved | undefined;
  /** What made the boundary of the last epoch final. */
  #ended: Finalization | StateCertificate | undefined;
  readonly #sentEndMs = new Map<PeerKey, number>();
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
    this.#current = this.#run(setting);
  }

  step(event: Event, nowMs: number, wallMs: number): readonly Effect[] {
    this.#nowMs = nowMs;
    this.#wallMs = wallMs;
    this.#effects = [];
    this.#route(event);
    if (this.#awaitsSeal && this.#sealed) this.#move(this.#awaitsSeal, this.#sealed);
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
      case 'heartbeat':
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
      if (each === epoch + 1) this.#early?.keepFrame(from, partOf(each));
      if (each < epoch) this.#sendEnd(from, each);
      const running = this.#of(each);
      if (running !== undefined) this.#give(running, { ...event, frame: partOf(each) });
    }
  }

  #onProposal(event: EventOf<'proposal'>): void {
    const { epoch } = event.proposal.block;
    const current = this.#current.setting.committee.epoch;
    if (epoch === current) this.#give(this.#current, event);
    else if (epoch === current + 1) this.#early?.keepProposal(event.from, event.proposal);
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
  #onSealed(event: Sealed): void {
    if (this.#sealed !== undefined || event.committee.epoch !== this.#current.setting.committee.epoch + 1) return;
    this.#sealed = event;
    this.#early = createEarlyFrames(event.committee);
    this.#give(this.#current, event);
  }

  /** Its epoch has ended: it needs the certificate that ended it. */
  #sendEnd(peer: PeerKey, epoch: Epoch): void {
    const ended = this.#ended;
    if (ended === undefined || ended.subject.epoch !== epoch) return;
    const sentMs = this.#sentEndMs.get(peer);
    if (sentMs !== undefined && this.#nowMs < sentMs + SEND_END_EVERY_MS) return;
    this.#sentEndMs.set(peer, this.#nowMs);
    this.#effects.push(endFrame(ended, peer));
  }

  #give(running: Running, event: Event): void {
    for (const effect of running.core.step(event, this.#nowMs, this.#wallMs)) {
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

  #move({ block, blockId, certificate }: Moved, sealed: Sealed): void {
    const running = this.#current;
    const early = this.#early;
    const names = block.next !== undefined && bytesEqual(block.next, sealed.recordHash);
    assert(names, 'the boundary names the record that is certified here (rule 10)');
    const { certifiedHeight, committedHeight } = running.core.status();
    const self = this.#selfIn(sealed.committee);
    const next = this.#run({
      ...this.#setting,
      committee: sealed.committee,
      self,
      root: { block, blockId, certificate: undefined, below: { committedHeight, certifiedHeight } },
      restored: NOTHING_RESTORED,
      blocked: blockedIn(running, sealed.committee),
    });
    this.#closed = certifiedHeight >= block.height ? undefined : { running, boundaryHeight: block.height };
    this.#current = next;
    this.#ended = certificate;
    this.#awaitsSeal = undefined;
    this.#sealed = undefined;
    this.#early = undefined;
    this.#sentEndMs.clear();
    // Frames of consensus count from members only.
    if (running.setting.self !== undefined) this.#effects.push(endFrame(certificate, undefined));
    this.#effects.push({ type: 'epoch-begun', committee: sealed.committee, self });
    this.#give(next, { type: 'pending-changed', pending: this.#pending });
    if (this.#signing) this.#give(next, this.#signing);
    for (const event of early?.take() ?? []) this.#give(next, event);
  }

  #selfIn(committee: Committee): number | undefined {
    const { selfIn, committee: first, self } = this.#setting;
    if (selfIn !== undefined) return selfIn(committee);
    const own = self === undefined ? undefined : first.members[self]?.peerKey;
    return own === undefined ? undefined : committee.members.find(({ peerKey }) => peerKey === own)?.index;
  }
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

/** Rule 10: the same peers, as far as less than a third of the new weight is blocked. */
function blockedIn({ core, setting }: Running, next: Committee): readonly number[] {
  const peers = new Set(core.status().blocked.map((member) => setting.committee.members[member]?.peerKey));
  return next.members.flatMap(({ peerKey, index }) => (peers.has(peerKey) ? [index] : []));
}

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
import { assert, bytesEqual } from '@slipstream/primitives';
import type {
  Certificate,
  Committee,
  ConsensusFrame,
  Epoch,
  Finalization,
  OutgoingConsensusFrame,
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
    this.#current = this.#run(setting, nowMs, wallMs);
  }

  step(event: Event, nowMs: number, wallMs: number): readonly Effect[] {
    const effects: Effect[] = [];
    this.#route(event, nowMs, (running, routed) => this.#stepOne(running, routed, nowMs, wallMs, effects), effects);
    const moved = this.#awaitsSeal;
    if (moved && this.#sealed) this.#move(moved, this.#sealed, nowMs, wallMs, effects);
    const wakeAtMs = Math.min(this.#current.wakeAtMs, this.#closed?.running.wakeAtMs ?? Number.POSITIVE_INFINITY);
    effects.push({ type: 'wake', atMs: wakeAtMs });
    return effects;
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

  #run(setting: CoreSetting, nowMs: number, wallMs: number): Running {
    const core = this.#wrap(createCore(setting, nowMs, wallMs), setting);
    return { core, setting, wakeAtMs: Number.POSITIVE_INFINITY };
  }

  #route(event: Event, nowMs: number, give: (running: Running, event: Event) => void, effects: Effect[]): void {
    const current = this.#current;
    const closed = this.#closed?.running;
    const both = (each: Event) => {
      if (closed !== undefined) give(closed, each);
      give(current, each);
    };
    switch (event.type) {
      case 'consensus-frame':
        return this.#splitFrame(event, nowMs, give, effects);
      case 'proposal':
        return this.#onProposal(event, nowMs, give, effects);
      case 'verified': {
        const known = this.#tokens.get(event.token);
        this.#tokens.delete(event.token);
        if (known && (known.of === current || known.of === closed)) give(known.of, { ...event, token: known.token });
        return;
      }
      case 'cast-done': {
        const epoch = event.votes[0]?.subject.epoch ?? event.confirmation?.block.epoch;
        const running = epoch === undefined ? current : this.#of(epoch);
        if (running) give(running, event);
        return;
      }
      case 'propose-done': {
        const running = this.#of(event.proposal.block.epoch);
        if (running) give(running, event);
        return;
      }
      case 'sealed':
        this.#sealed = event;
        this.#early = createEarlyFrames(event.committee);
        return give(current, event);
      case 'signing-enabled':
        this.#signing = event;
        return give(current, event);
      case 'pending-changed':
        this.#pending = event.pending;
        return give(current, event);
      case 'tick':
      case 'peer-connected':
      case 'executed':
      case 'committed':
      case 'fetched':
        return both(event);
      case 'heartbeat':
      case 'offence':
      case 'payload-built':
      case 'payload-checked':
      case 'certified-below':
        return give(current, event);
    }
  }

  readonly #samePeer = ({ members }: Committee): number | undefined => {
    const { committee, self } = this.#setting;
    const own = self === undefined ? undefined : committee.members[self]?.peerKey;
    return own === undefined ? undefined : members.find(({ peerKey }) => peerKey === own)?.index;
  };

  #of(epoch: Epoch): Running | undefined {
    if (epoch === this.#current.setting.committee.epoch) return this.#current;
    const closed = this.#closed?.running;
    return epoch === closed?.setting.committee.epoch ? closed : undefined;
  }

  #splitFrame(
    event: EventOf<'consensus-frame'>,
    nowMs: number,
    give: (running: Running, event: Event) => void,
    effects: Effect[],
  ): void {
    const { from, frame } = event;
    const epochs = epochsIn(frame);
    const { epoch } = this.#current.setting.committee;
    if (epochs.size === 0) return give(this.#current, event);
    for (const each of epochs) {
      const running = this.#of(each);
      const part = epochs.size === 1 ? frame : partOf(frame, each);
      if (running) give(running, { ...event, frame: part });
      else if (each === epoch + 1) this.#early?.keepFrame(from, part);
      if (each < epoch) this.#sendEnd(from, each, nowMs, effects);
    }
  }

  #onProposal(
    event: EventOf<'proposal'>,
    nowMs: number,
    give: (running: Running, event: Event) => void,
    effects: Effect[],
  ): void {
    const { epoch } = event.proposal.block;
    const current = this.#current.setting.committee.epoch;
    if (epoch === current) return give(this.#current, event);
    if (epoch === current + 1) this.#early?.keepProposal(event.from, event.proposal);
    else if (epoch < current) this.#sendEnd(event.from, epoch, nowMs, effects);
  }

  /** Its epoch has ended: it needs the certificate that ended it. */
  #sendEnd(peer: PeerKey, epoch: Epoch, nowMs: number, effects: Effect[]): void {
    const ended = this.#ended;
    if (ended === undefined || ended.subject.epoch !== epoch) return;
    const sentMs = this.#sentEndMs.get(peer);
    if (sentMs !== undefined && nowMs < sentMs + SEND_END_EVERY_MS) return;
    this.#sentEndMs.set(peer, nowMs);
    effects.push({ type: 'resend', to: peer, frame: { ...NO_VOTES, certificates: [ended] } });
  }

  #stepOne(running: Running, event: Event, nowMs: number, wallMs: number, effects: Effect[]): void {
    for (const effect of running.core.step(event, nowMs, wallMs)) {
      switch (effect.type) {
        case 'wake':
          running.wakeAtMs = effect.atMs;
          break;
        case 'verify': {
          const token = this.#nextToken++;
          this.#tokens.set(token, { of: running, token: effect.token });
          effects.push({ ...effect, token });
          break;
        }
        case 'certified':
          effects.push(effect);
          this.#noteCertified(effect.certificate, nowMs, wallMs, effects);
          break;
        case 'moved':
          effects.push(effect);
          this.#awaitsSeal = effect;
          break;
        default:
          effects.push(effect);
      }
    }
  }

  /** Core e ends with the certificate of its boundary, or of a block above it. */
  #noteCertified({ subject }: StateCertificate, nowMs: number, wallMs: number, effects: Effect[]): void {
    const closed = this.#closed;
    if (closed === undefined) return;
    if (subject.epoch === closed.running.setting.committee.epoch) {
      const below = { type: 'certified-below', height: subject.height } as const;
      this.#stepOne(this.#current, below, nowMs, wallMs, effects);
    }
    if (subject.height >= closed.boundaryHeight) this.#closed = undefined;
  }

  #move(moved: Moved, sealed: Sealed, nowMs: number, wallMs: number, effects: Effect[]): void {
    const running = this.#current;
    const early = this.#early;
    const { block, blockId, certificate } = moved;
    const names = block.next !== undefined && bytesEqual(block.next, sealed.recordHash);
    assert(names, 'the boundary names the record that is certified here (rule 10)');
    const { certifiedHeight } = running.core.status();
    const { committedHeight } = running.core.state().remembered;
    const setting: CoreSetting = {
      ...this.#setting,
      committee: sealed.committee,
      self: (this.#setting.selfIn ?? this.#samePeer)(sealed.committee),
      root: { block, blockId, certificate: undefined, below: { committedHeight, certifiedHeight } },
      restored: NOTHING_RESTORED,
      blocked: blockedIn(running, sealed.committee),
    };
    const next = this.#run(setting, nowMs, wallMs);
    this.#closed = certifiedHeight >= block.height ? undefined : { running, boundaryHeight: block.height };
    this.#current = next;
    this.#ended = certificate;
    this.#awaitsSeal = undefined;
    this.#sealed = undefined;
    this.#early = undefined;
    this.#sentEndMs.clear();
    // Every member sends the end to all: a quorum of them is honest.
    effects.push({ type: 'resend', to: undefined, frame: { ...NO_VOTES, certificates: [certificate] } });
    effects.push({ type: 'epoch-begun', committee: setting.committee, self: setting.self });
    const give = (event: Event) => this.#stepOne(next, event, nowMs, wallMs, effects);
    give({ type: 'pending-changed', pending: this.#pending });
    if (this.#signing) give(this.#signing);
    for (const event of early?.take() ?? []) give(event);
  }
}

const NO_VOTES: OutgoingConsensusFrame = { votes: [], certificates: [], confirmations: [] };

function epochsIn({ votes, certificates, confirmations }: ConsensusFrame): ReadonlySet<Epoch> {
  const epochs = new Set<Epoch>();
  for (const { subject } of votes) epochs.add(subject.epoch);
  for (const { subject } of certificates) epochs.add(subject.epoch);
  for (const { epoch } of confirmations) epochs.add(epoch);
  return epochs;
}

function partOf({ votes, certificates, confirmations }: ConsensusFrame, epoch: Epoch): ConsensusFrame {
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

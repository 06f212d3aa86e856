/**
 * Outgoing: the path of this validator's signed messages.
 *
 *   cast, propose --> reserve view --> sign --> append to the log --> Durable --> send --> event to the core
 *
 * INVARIANT (I3): a signed message leaves only after its record and all earlier records survive a power cut: a frame takes nothing else
 * (outgoing-frames.ts of packages/types). A step is signed while the step before is synced; appends and sends keep the order of the steps.
 * Steps that are signed concurrently are appended together and share one sync: a leader's Notarize and its optimistic proposal, a Finalize
 * and the next Notarize.
 */
import type { FrameSender, PeerKey, Signer } from '@slipstream/ports';
import { assert, type Durable, derived, type OutgoingFrame, unreachable } from '@slipstream/primitives';
import {
  type Confirmation,
  type Epoch,
  type GenesisHash,
  type OutgoingConsensusFrame,
  outgoingFrame,
  type Proposal,
  proposalMessage,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import type { SignState, Wal } from '@slipstream/wal';
import type { Confirm, Effect, Event } from './events.ts';
import type { LogMarks } from './log-marks.ts';
import { proposalRecord, voteRecord } from './records.ts';

type Cast = Extract<Effect, { type: 'cast' }>;
type Propose = Extract<Effect, { type: 'propose' }>;

interface OutgoingComponents {
  /** Undefined on a full node. */
  readonly signState: SignState | undefined;
  readonly signerOf: (epoch: Epoch) => Signer;
  readonly wal: Pick<Wal, 'append' | 'durableSequence'>;
  readonly marks: Pick<LogMarks, 'add'>;
  readonly transport: FrameSender;
  readonly report: (event: Event) => void;
  readonly fail: (error: unknown) => void;
}

type SendEffect = Extract<Effect, { type: 'cast' | 'propose' | 'resend' | 'resend-proposal' | 'heartbeat' }>;

export interface Outgoing {
  perform(effect: SendEffect): void;
  /** Settles when all earlier steps are sent or failed. */
  idle(): Promise<void>;
}

interface Signed {
  readonly votes: readonly Vote[];
  readonly proposal: Proposal | undefined;
}

interface DurableStep {
  readonly votes: readonly Durable<Vote>[];
  readonly proposal: Durable<Proposal> | undefined;
}

export function createOutgoing(components: OutgoingComponents, genesisHash: GenesisHash): Outgoing {
  return new SigningPath(components, genesisHash);
}

class SigningPath implements Outgoing {
  readonly #components: OutgoingComponents;
  readonly #genesisHash: GenesisHash;
  readonly #appends = createSharedAppends();
  /** Settle when the last step is appended, or will be with the next one, and when it is sent. */
  #logged: Promise<unknown> = Promise.resolve();
  #sent: Promise<unknown> = Promise.resolve();

  constructor(components: OutgoingComponents, genesisHash: GenesisHash) {
    this.#components = components;
    this.#genesisHash = genesisHash;
  }

  perform(effect: SendEffect): void {
    switch (effect.type) {
      case 'cast':
        return this.#cast(effect);
      case 'propose':
        return this.#propose(effect);
      case 'resend':
        return this.#sendFrame(effect.to, effect.frame);
      case 'resend-proposal':
        return this.#sendProposal(effect.to, effect.proposal);
      case 'heartbeat':
        return this.#components.transport.broadcast('consensus', outgoingFrame('heartbeat', effect.heartbeat));
      default:
        return unreachable(effect, 'effect');
    }
  }

  async idle(): Promise<void> {
    await this.#sent;
  }

  #cast(step: Cast): void {
    const { votes, certificates, confirm } = step;
    if (votes.length === 0 && !confirm) {
      this.#sendFrame(undefined, { votes: [], certificates, confirmations: [] });
      return;
    }
    const view = Math.max(...votes.map((subject) => subject.view), confirm?.block.view ?? 0);
    const sign = () => this.#signCast(step);
    this.#enqueue(view, sign, (signed) => {
      const confirmations = confirm && signed.proposal ? [confirmationOf(confirm, signed.proposal)] : [];
      this.#sendFrame(undefined, { votes: signed.votes, certificates, confirmations });
      this.#components.report({ type: 'cast-done', votes: signed.votes, confirmation: signed.proposal });
    });
  }

  async #signCast({ signer, votes, certificates, confirm }: Cast): Promise<Signed> {
    const messages = votes.map((subject) => subjectMessage(this.#genesisHash, subject));
    if (confirm) messages.push(proposalMessage(this.#genesisHash, confirm.block, 'normal', confirm.blockId));
    const epoch = votes[0]?.epoch ?? confirm?.block.epoch;
    const signatures = epoch === undefined ? [] : await this.#signAll(epoch, messages);
    const signedVotes = votes.map((subject, i) => ({
      subject,
      signer: signer as number,
      signature: signatures[i] as Uint8Array,
    }));
    const signature = signatures[votes.length] as Uint8Array;
    const confirmed: Proposal | undefined = confirm && {
      kind: 'normal',
      block: confirm.block,
      justification: certificates.filter(({ subject }) => subject.kind !== 'nullify').slice(0, 1),
      signature,
    };
    return { votes: signedVotes, proposal: confirmed };
  }

  #propose({ kind, block, blockId, justification }: Propose): void {
    const sign = async (): Promise<Signed> => {
      const [signature] = await this.#signAll(block.epoch, [proposalMessage(this.#genesisHash, block, kind, blockId)]);
      return { votes: [], proposal: { kind, block, justification, signature: signature as Uint8Array } };
    };
    this.#enqueue(block.view, sign, ({ proposal }) => {
      assert(proposal !== undefined, 'a proposal was signed');
      this.#sendProposal(undefined, proposal);
      this.#components.report({ type: 'propose-done', proposal });
    });
  }

  /** Signs and logs in the order of the steps, then sends. */
  #enqueue(view: number, sign: () => Promise<Signed>, send: (step: DurableStep) => void): void {
    let expected = false;
    const signing = this.#reserve(view).then(() => {
      this.#appends.expect();
      expected = true;
      return sign();
    });
    signing.catch(() => {}); // reported below, in order
    const logged = this.#logged.then(async () => {
      try {
        const signed = await signing;
        return { durable: this.#appends.add(() => this.#append(signed)) };
      } catch (error) {
        if (expected) this.#appends.cancel(); // steps that share the sync must not wait for ever
        throw error;
      }
    });
    this.#logged = logged.then(
      ({ durable }) => {
        durable.catch(() => {});
      },
      () => {},
    );
    this.#sent = Promise.all([this.#sent, logged])
      .then(async ([, { durable }]) => send(await durable))
      .catch(this.#components.fail);
  }

  async #reserve(view: number): Promise<void> {
    const { signState, wal } = this.#components;
    await signState?.reserve({ view, logSequence: wal.durableSequence });
  }

  /** A node may sign with another key in each epoch. */
  async #signAll(epoch: Epoch, messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    return this.#components.signerOf(epoch).sign(messages);
  }

  async #append({ votes, proposal }: Signed): Promise<DurableStep> {
    const { marks, wal } = this.#components;
    const durableVotes = votes.map((vote) => {
      const { kind, payload } = voteRecord(vote);
      const { sequence, durable } = wal.append(kind, payload, vote);
      marks.add(vote.subject.view, sequence);
      return durable;
    });
    if (proposal === undefined) return { votes: await Promise.all(durableVotes), proposal };
    const { kind, payload } = proposalRecord(proposal);
    const { sequence, durable } = wal.append(kind, payload, proposal);
    marks.add(proposal.block.view, sequence);
    return { votes: await Promise.all(durableVotes), proposal: await durable };
  }

  #sendFrame(to: PeerKey | undefined, frame: OutgoingConsensusFrame): void {
    this.#transmit(to, 'consensus', outgoingFrame('consensus', frame));
  }

  #sendProposal(to: PeerKey | undefined, proposal: Durable<Proposal>): void {
    this.#transmit(to, 'proposal', outgoingFrame('proposal', proposal));
  }

  #transmit(to: PeerKey | undefined, lane: 'consensus' | 'proposal', frame: OutgoingFrame): void {
    const { transport } = this.#components;
    if (to === undefined) transport.broadcast(lane, frame);
    else transport.send(to, lane, frame);
  }
}

function confirmationOf({ block, blockId }: Confirm, proposal: Durable<Proposal>): Durable<Confirmation> {
  return derived(proposal, ({ signature }) => ({ epoch: block.epoch, view: block.view, blockId, signature }));
}

/** Per sync: each step waits for the signatures of the following ones, half a millisecond each. */
const SHARED_MAX = 4;

/** A step is appended with the steps that are being signed meanwhile: records of one turn share a sync. */
function createSharedAppends() {
  let expected = 0;
  let waiting: (() => void)[] = [];

  function appendWhenComplete(): void {
    if (expected > 0 && waiting.length < SHARED_MAX) return;
    const complete = waiting;
    waiting = [];
    for (const append of complete) append();
  }

  return {
    /** A step is being signed; `add` or `cancel` must follow. */
    expect() {
      expected++;
    },
    add<T>(append: () => Promise<T>): Promise<T> {
      expected--;
      return new Promise((resolve) => {
        waiting.push(() => resolve(append()));
        appendWhenComplete();
      });
    },
    cancel() {
      expected--;
      appendWhenComplete();
    },
  };
}

/**
 * Outgoing: the path of this validator's signed messages.
 *
 *   cast, propose --> reserve view --> sign --> append to the log --> sync --> send --> event to the core
 *
 * INVARIANT (I3): a signed message leaves only after its record and all earlier records survive a power cut. A step is signed while the
 * step before is synced; appends and sends keep the order of the steps. Steps that are signed concurrently share one sync: a leader's
 * Notarize and its optimistic proposal, a Finalize and the next Notarize.
 */
import type { PeerKey, Signer, Transport } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import {
  type ConsensusFrame,
  encodeFrame,
  type GenesisHash,
  type Proposal,
  proposalMessage,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import type { SignState, Wal } from '@slipstream/wal';
import type { Effect, Event } from './events.ts';
import type { LogMarks } from './log-marks.ts';
import { proposalRecord, voteRecord } from './records.ts';

type Cast = Extract<Effect, { type: 'cast' }>;
type Propose = Extract<Effect, { type: 'propose' }>;

interface OutgoingComponents {
  /** Undefined on a full node. */
  readonly signing: { readonly signer: Signer; readonly signState: SignState; readonly self: number } | undefined;
  readonly wal: Wal;
  readonly marks: Pick<LogMarks, 'add'>;
  readonly transport: Pick<Transport, 'broadcast' | 'send'>;
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

export function createOutgoing(components: OutgoingComponents, genesisHash: GenesisHash): Outgoing {
  return new SigningPath(components, genesisHash);
}

class SigningPath implements Outgoing {
  readonly #components: OutgoingComponents;
  readonly #genesisHash: GenesisHash;
  readonly #syncs: SharedSyncs;
  /** Settle when the last step is appended, and sent. */
  #appended: Promise<unknown> = Promise.resolve();
  #sent: Promise<unknown> = Promise.resolve();

  constructor(components: OutgoingComponents, genesisHash: GenesisHash) {
    this.#components = components;
    this.#genesisHash = genesisHash;
    this.#syncs = createSharedSyncs(components.wal);
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
        return this.#components.transport.broadcast('consensus', encodeFrame('heartbeat', effect.heartbeat));
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
      const confirmations = confirm
        ? [{ view: confirm.block.view, blockId: confirm.blockId, signature: signed.proposal?.signature as Uint8Array }]
        : [];
      this.#sendFrame(undefined, { votes: signed.votes, certificates, confirmations });
      this.#components.report({ type: 'cast-done', votes: signed.votes, confirmation: signed.proposal });
    });
  }

  async #signCast({ votes, certificates, confirm }: Cast): Promise<Signed> {
    const messages = votes.map((subject) => subjectMessage(this.#genesisHash, subject));
    if (confirm) messages.push(proposalMessage(this.#genesisHash, confirm.block.view, 'normal', confirm.blockId));
    const signatures = await this.#signAll(messages);
    const signedVotes = votes.map((subject, i) => ({
      subject,
      signer: this.#components.signing?.self as number,
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
      const [signature] = await this.#signAll([proposalMessage(this.#genesisHash, block.view, kind, blockId)]);
      return { votes: [], proposal: { kind, block, justification, signature: signature as Uint8Array } };
    };
    this.#enqueue(block.view, sign, ({ proposal }) => {
      this.#sendProposal(undefined, proposal as Proposal);
      this.#components.report({ type: 'propose-done', proposal: proposal as Proposal });
    });
  }

  /** Signs and logs in the order of the steps, then sends. */
  #enqueue(view: number, sign: () => Promise<Signed>, send: (signed: Signed) => void): void {
    let expected = false;
    const signed = this.#reserve(view).then(() => {
      this.#syncs.expect();
      expected = true;
      return sign();
    });
    signed.catch(() => {}); // reported below, in order
    const logged = this.#appended.then(async () => {
      try {
        const result = await signed;
        this.#append(result);
        return { result, synced: this.#syncs.appended() };
      } catch (error) {
        if (expected) this.#syncs.appended().catch(() => {}); // steps that share the sync must not wait for ever
        throw error;
      }
    });
    this.#appended = logged.then(
      ({ synced }) => {
        synced.catch(() => {});
      },
      () => {},
    );
    this.#sent = Promise.all([this.#sent, logged])
      .then(async ([, { result, synced }]) => {
        await synced;
        send(result);
      })
      .catch(this.#components.fail);
  }

  async #reserve(view: number): Promise<void> {
    const { signing, wal } = this.#components;
    await signing?.signState.reserve({ view, logSequence: wal.durableSequence });
  }

  async #signAll(messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const { signing } = this.#components;
    return messages.length === 0 || !signing ? [] : signing.signer.sign(messages);
  }

  #append({ votes, proposal }: Signed): void {
    const { marks, wal } = this.#components;
    const append = (view: number, { kind, payload }: ReturnType<typeof voteRecord>) =>
      marks.add(view, wal.append(kind, payload));
    for (const vote of votes) append(vote.subject.view, voteRecord(vote));
    if (proposal) append(proposal.block.view, proposalRecord(proposal));
  }

  #sendFrame(to: PeerKey | undefined, frame: ConsensusFrame): void {
    this.#transmit(to, 'consensus', encodeFrame('consensus', frame));
  }

  #sendProposal(to: PeerKey | undefined, proposal: Proposal): void {
    this.#transmit(to, 'proposal', encodeFrame('proposal', proposal));
  }

  #transmit(to: PeerKey | undefined, lane: 'consensus' | 'proposal', bytes: Uint8Array): void {
    const { transport } = this.#components;
    if (to === undefined) transport.broadcast(lane, bytes);
    else transport.send(to, lane, bytes);
  }
}

/** Per sync: each step waits for the signatures of the following ones, half a millisecond each. */
const SHARED_MAX = 4;

type SharedSyncs = ReturnType<typeof createSharedSyncs>;

/** A sync is postponed while another step is being signed, and covers both. */
function createSharedSyncs(wal: Pick<Wal, 'sync'>) {
  let expected = 0;
  let group: PromiseWithResolvers<void> | undefined;
  let members = 0;
  return {
    /** A step is being signed; `appended` must follow. */
    expect() {
      expected++;
    },
    /** The step's records are appended. Settles when they are durable. */
    appended(): Promise<void> {
      expected--;
      group ??= Promise.withResolvers<void>();
      members++;
      const { promise, resolve } = group;
      if (expected === 0 || members >= SHARED_MAX) {
        resolve(wal.sync());
        group = undefined;
        members = 0;
      }
      return promise;
    },
  };
}

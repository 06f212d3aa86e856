/**
 * Outgoing: the path of this validator's signed messages.
 *
 *   cast, propose --> reserve view --> sign --> append to the log --> sync --> send --> event to the core
 *
 * INVARIANT (I3): a signed message leaves only after its record and every earlier record survive a power cut. Signing of one step overlaps
 * the sync of the step before; appends and sends keep the order of the steps. Steps that are signed concurrently share one sync: a
 * leader's Notarize and its optimistic proposal, a Finalize and the Notarize that follows it.
 */
import type { PeerKey, Signer, Telemetry, Transport } from '@slipstream/ports';
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
  /** Undefined on a full node: it forwards certificates and signs nothing. */
  readonly signing: { readonly signer: Signer; readonly signState: SignState; readonly self: number } | undefined;
  readonly wal: Wal;
  readonly marks: Pick<LogMarks, 'add'>;
  readonly transport: Pick<Transport, 'broadcast' | 'send'>;
  readonly telemetry: Telemetry;
  readonly tell: (event: Event) => void;
  readonly fail: (error: unknown) => void;
}

/** Effects that send messages. */
type SendEffect = Extract<Effect, { type: 'cast' | 'propose' | 'resend' | 'resend-proposal' | 'heartbeat' }>;

export interface Outgoing {
  perform(effect: SendEffect): void;
  /** Settles when everything decided so far was sent or failed. */
  idle(): Promise<void>;
}

interface Signed {
  readonly votes: readonly Vote[];
  readonly proposal: Proposal | undefined;
}

export function createOutgoing(components: OutgoingComponents, genesisHash: GenesisHash): Outgoing {
  const { wal, marks, transport, tell, fail, signing } = components;
  const syncs = createSharedSyncs(wal);
  let appended: Promise<unknown> = Promise.resolve();
  let sent: Promise<unknown> = Promise.resolve();

  function transmit(to: PeerKey | undefined, lane: 'consensus' | 'proposal', bytes: Uint8Array): void {
    if (to === undefined) transport.broadcast(lane, bytes);
    else transport.send(to, lane, bytes);
  }

  function frame(to: PeerKey | undefined, value: ConsensusFrame): void {
    transmit(to, 'consensus', encodeFrame('consensus', value));
  }

  function proposal(to: PeerKey | undefined, value: Proposal): void {
    transmit(to, 'proposal', encodeFrame('proposal', value));
  }

  /** Signs and logs in the order of the steps, then sends. */
  function enqueue(view: number, sign: () => Promise<Signed>, send: (signed: Signed) => void): void {
    let expected = false;
    const signed = reserve(view).then(() => {
      syncs.expect();
      expected = true;
      return sign();
    });
    signed.catch(() => {}); // reported below, in order
    const logged = appended.then(async () => {
      try {
        const { votes, proposal } = await signed;
        for (const vote of votes) append(vote.subject.view, voteRecord(vote));
        if (proposal) append(proposal.block.view, proposalRecord(proposal));
        return { signed: { votes, proposal }, synced: syncs.appended() };
      } catch (error) {
        if (expected) syncs.appended().catch(() => {}); // steps that share the sync must not wait for ever
        throw error;
      }
    });
    appended = logged.then(
      ({ synced }) => {
        synced.catch(() => {});
      },
      () => {},
    );
    sent = Promise.all([sent, logged])
      .then(async ([, { signed: result, synced }]) => {
        await synced;
        send(result);
      })
      .catch(fail);
  }

  function append(view: number, { kind, payload }: ReturnType<typeof voteRecord>): void {
    marks.add(view, wal.append(kind, payload));
  }

  async function reserve(view: number): Promise<void> {
    await signing?.signState.reserve({ view, logSequence: wal.durableSequence });
  }

  async function signAll(messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    return messages.length === 0 || !signing ? [] : signing.signer.sign(messages);
  }

  function cast({ votes, certificates, confirm }: Cast): void {
    if (votes.length === 0 && !confirm) {
      frame(undefined, { votes: [], certificates, confirmations: [] });
      return;
    }
    const view = Math.max(...votes.map((subject) => subject.view), confirm?.block.view ?? 0);
    const sign = async (): Promise<Signed> => {
      const messages = votes.map((subject) => subjectMessage(genesisHash, subject));
      if (confirm) messages.push(proposalMessage(genesisHash, confirm.block.view, 'normal', confirm.blockId));
      const signatures = await signAll(messages);
      const signedVotes = votes.map((subject, i) => ({
        subject,
        signer: signing?.self as number,
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
    };
    enqueue(view, sign, (signed) => {
      const confirmations = confirm
        ? [{ view: confirm.block.view, blockId: confirm.blockId, signature: signed.proposal?.signature as Uint8Array }]
        : [];
      frame(undefined, { votes: signed.votes, certificates, confirmations });
      tell({ type: 'cast-done', votes: signed.votes, confirmation: signed.proposal });
    });
  }

  function propose({ kind, block, blockId, justification }: Propose): void {
    const sign = async (): Promise<Signed> => {
      const [signature] = await signAll([proposalMessage(genesisHash, block.view, kind, blockId)]);
      return { votes: [], proposal: { kind, block, justification, signature: signature as Uint8Array } };
    };
    enqueue(block.view, sign, ({ proposal: signed }) => {
      proposal(undefined, signed as Proposal);
      tell({ type: 'propose-done', proposal: signed as Proposal });
    });
  }

  return {
    perform(effect) {
      switch (effect.type) {
        case 'cast':
          return cast(effect);
        case 'propose':
          return propose(effect);
        case 'resend':
          return frame(effect.to, effect.frame);
        case 'resend-proposal':
          return proposal(effect.to, effect.proposal);
        case 'heartbeat':
          return transport.broadcast('consensus', encodeFrame('heartbeat', effect.heartbeat));
        default:
          return unreachable(effect, 'effect');
      }
    },
    async idle() {
      await sent;
    },
  };
}

/** Steps per shared sync: each waits for the signatures of the following ones, half a millisecond each. */
const SHARED_MAX = 4;

/** One sync per step. It is postponed while another step is being signed, so that the later sync covers both. */
function createSharedSyncs(wal: Pick<Wal, 'sync'>) {
  let expected = 0;
  let group: PromiseWithResolvers<void> | undefined;
  let members = 0;
  return {
    /** Call when a step is being signed; `appended` must follow. */
    expect() {
      expected++;
    },
    /** Call when the step's records are appended; settles when they are durable. */
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

/**
 * Restored log: what the log holds of each epoch, from the one that the node starts in.
 *
 * INVARIANT (rule 10): a sync covers all earlier records, so the record `epoch` of an epoch is durable before anything that this validator
 * signs in it leaves. A log with own messages of an epoch, and without this record, is not the log of this ledger.
 */
import type { Durable } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockIdOf,
  type Certificate,
  type Epoch,
  hexOf,
  type Proposal,
  type Vote,
} from '@slipstream/types';
import type { WalRecord } from '@slipstream/wal';
import { NOTHING_RESTORED, type Restored } from './context.ts';
import { ConsensusError } from './errors.ts';
import type { BegunEpoch } from './events.ts';

export interface RestoredLog {
  readonly epochs: ReadonlyMap<Epoch, Restored>;
  readonly begun: ReadonlyMap<Epoch, BegunEpoch>;
}

export const EMPTY_LOG: RestoredLog = { epochs: new Map(), begun: new Map() };

export function restoredOf({ epochs }: RestoredLog, epoch: Epoch): Restored {
  return epochs.get(epoch) ?? NOTHING_RESTORED;
}

/** Of all epochs. */
export function ownMessages({ epochs }: RestoredLog): Pick<Restored, 'votes' | 'proposals'> {
  const all = [...epochs.values()];
  return { votes: all.flatMap(({ votes }) => votes), proposals: all.flatMap(({ proposals }) => proposals) };
}

interface Part {
  readonly certificates: Certificate[];
  readonly votes: Durable<Vote>[];
  readonly proposals: Durable<Proposal>[];
  readonly blocks: Map<string, { readonly blockId: BlockId; readonly block: Block }>;
}

/** Collects records in the order of the log. */
export class RestoringLog {
  readonly #first: Epoch;
  readonly #parts = new Map<Epoch, Part>();
  readonly #begun = new Map<Epoch, BegunEpoch>();
  /** The newest epoch that follows from the ledger and from records so far. */
  #newest: Epoch;

  constructor(first: Epoch) {
    this.#first = first;
    this.#newest = first;
  }

  vote(vote: Durable<Vote>, record: WalRecord): void {
    const { epoch } = vote.subject;
    this.#demandBegun(epoch, record);
    this.#part(epoch)?.votes.push(vote);
  }

  proposal(proposal: Durable<Proposal>, record: WalRecord): void {
    const { block } = proposal;
    this.#demandBegun(block.epoch, record);
    this.#part(block.epoch)?.proposals.push(proposal);
    this.block(block);
  }

  certificate(certificate: Certificate): void {
    this.#part(certificate.subject.epoch)?.certificates.push(certificate);
  }

  block(block: Block): void {
    const part = this.#part(block.epoch);
    if (part === undefined) return;
    const blockId = blockIdOf(block);
    part.blocks.set(hexOf(blockId), { blockId, block });
  }

  epoch(begun: BegunEpoch, record: WalRecord): void {
    const { epoch } = begun.seal.record;
    if (epoch < this.#first) return;
    if (epoch > this.#newest + 1) throw foreignLog(record, epoch, this.#newest);
    if (epoch > this.#newest) this.#newest = epoch;
    this.#begun.set(epoch, begun);
    // A boundary that a filler made final may have come by a range, past the log.
    for (const block of [begun.end.block, ...begun.end.fillers]) this.block(block);
    this.certificate(begun.end.certificate);
  }

  end(): RestoredLog {
    const epochs = [...this.#parts].map(([epoch, part]) => {
      return [epoch, { ...part, blocks: [...part.blocks.values()] }] as const;
    });
    return { epochs: new Map(epochs), begun: this.#begun };
  }

  #demandBegun(epoch: Epoch, record: WalRecord): void {
    if (epoch > this.#newest) throw foreignLog(record, epoch, this.#newest);
  }

  /** Undefined for what has ended before the start. */
  #part(epoch: Epoch): Part | undefined {
    if (epoch < this.#first) return undefined;
    const existing = this.#parts.get(epoch);
    if (existing !== undefined) return existing;
    const part: Part = { certificates: [], votes: [], proposals: [], blocks: new Map() };
    this.#parts.set(epoch, part);
    return part;
  }
}

function foreignLog({ sequence, kind }: WalRecord, epoch: Epoch, known: Epoch): ConsensusError {
  return new ConsensusError(
    'epoch-unknown',
    `log record ${sequence} (${kind}) is of epoch ${epoch}, but neither the ledger nor an earlier record says how an epoch after ` +
      `${known} began: log and ledger are not of one data folder, or the ledger is an older copy. Restore the newest copy of the whole ` +
      'folder. When its newest data is lost for good: "slipstream keys recover-history".',
    { sequence, kind, epoch, known },
  );
}

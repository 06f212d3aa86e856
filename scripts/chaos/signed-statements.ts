/**
 * Records what each validator signed over all its process lives, and finds contradicting signatures.
 *
 *   votes and proposals from the wire --\
 *   votes and proposals in the logs -----+--> statement (who, slot, value) --> same slot, another value: double signing
 *                                                                        on the wire, and missing in the log that covers its time: I3
 *
 * Independent of the node's rules: a slot of an epoch may hold one value only (consensus.md, I1, I2, I5 and rule 4), and a log has votes of an
 * earlier epoch below those of a later one only (epochs.md, E3).
 */
import { toHex } from '@slipstream/primitives';
import { type Block, blockIdOf, type ChunkHeader, hexOf, type Proposal, type Vote } from '@slipstream/types';

export interface DoubleSigning {
  readonly signer: string;
  readonly rule: string;
  readonly slot: string;
  readonly values: readonly [string, string];
}

export type Witness = 'wire' | 'log';

export interface StatementRecord {
  vote(witness: Witness, vote: Vote): void;
  proposal(witness: Witness, proposal: Pick<Proposal, 'kind' | 'block'>): void;
  chunk(witness: Witness, header: ChunkHeader): void;
  /** A vote of an epoch that its signer had left (E3). */
  late(signer: string, what: string): void;
  readonly lateVotes: ReadonlySet<string>;
  readonly doubleSignings: readonly DoubleSigning[];
  readonly statements: number;
  /** Call before a log is read; pass the result to `wasRead`. */
  beginReading(): Reading;
  /** The signer's log was read, from its first own vote on. It must contain the earlier votes from the wire that it covers. */
  wasRead(signer: string, reading: Reading, from: LogBegin): void;
  /** Votes on the wire that their signer's log should contain: sent, and not durable (I3). */
  unlogged(): readonly string[];
  /** Statements from the wire that were cut off their signer's log before it was read: logs are cut below final views. */
  readonly unread: number;
}

export interface Reading {
  /** Statements known by then. */
  readonly received: number;
}

/** Undefined: the log holds none. */
export interface LogBegin {
  readonly view: number | undefined;
  readonly chunk: number | undefined;
}

/** Near its begin a log may lack votes of one view and proposals ahead of it, which are not in order. */
const MARGIN = 16;

const DOUBLE_SIGNINGS_MAX = 100;
const WIRE = 1;
const LOG = 2;

interface Held {
  readonly value: string;
  witnesses: number;
  /** View of a vote or proposal, sequence of a chunk. */
  readonly at: number;
  readonly isChunk: boolean;
  readonly number: number;
  isMissing: boolean;
}

interface Signer {
  readonly signer: string;
  readonly epoch: number;
}

interface Place {
  readonly slot: string;
  readonly at: number;
  readonly isChunk?: boolean;
}

/** `nameOf`: of a member of an epoch, by its index; one node has one name in all epochs. */
export function createStatementRecord(nameOf: (epoch: number, index: number) => string): StatementRecord {
  /** By `signer/slot`. */
  const held = new Map<string, Held>();
  const doubleSignings: DoubleSigning[] = [];
  const lateVotes = new Set<string>();

  const signerOf = (epoch: number, index: number): Signer => ({ signer: nameOf(epoch, index), epoch });

  function state(witness: Witness, { signer, epoch }: Signer, place: Place, value: string, rule: string): void {
    const bit = witness === 'wire' ? WIRE : LOG;
    const { at, isChunk = false } = place;
    const slot = `${place.slot} in epoch ${epoch}`;
    const key = `${signer}/${slot}`;
    const known = held.get(key);
    if (known === undefined) {
      held.set(key, { value, witnesses: bit, at, isChunk, number: held.size, isMissing: false });
    } else if (known.value === value) {
      known.witnesses |= bit;
    } else if (doubleSignings.length < DOUBLE_SIGNINGS_MAX) {
      doubleSignings.push({ signer, rule, slot, values: [known.value, value] });
    }
  }

  function vote(witness: Witness, { signer: index, subject }: Vote): void {
    const signer = signerOf(subject.epoch, index);
    const at = subject.view;
    switch (subject.kind) {
      case 'notarize':
        state(witness, signer, { slot: `notarize ${at}`, at }, hexOf(subject.blockId), 'I1: one Notarize a view');
        break;
      case 'nullify':
        state(witness, signer, { slot: `end ${at}`, at }, 'nullify', 'I2: never both Nullify and Finalize');
        break;
      case 'finalize':
        state(
          witness,
          signer,
          { slot: `end ${at}`, at },
          `finalize ${hexOf(subject.blockId)}`,
          'I2: never both Nullify and Finalize',
        );
        break;
      case 'certify': {
        const slot = `certify ${hexOf(subject.blockId)}`;
        state(witness, signer, { slot, at }, hexOf(subject.stateDigest), 'I5: one state digest a block');
        break;
      }
    }
  }

  function proposal(witness: Witness, { kind, block }: Pick<Proposal, 'kind' | 'block'>): void {
    const signer = signerOf(block.epoch, block.proposer);
    const id = hexOf(blockIdOf(block));
    const at = block.view;
    state(witness, signer, { slot: `propose ${kind} ${at}`, at }, id, 'rule 4: one proposal of a kind in a view');
    const slot = `propose on ${parentOf(block)} ${at}`;
    state(witness, signer, { slot, at }, id, 'rule 4: no two blocks with one parent in a view');
  }

  return {
    vote,
    proposal,
    chunk(witness, header) {
      const value = `${toHex(header.bodyHash)} ${header.createdMs} ${header.expiryMs}`;
      const place = { slot: `chunk ${header.sequence}`, at: header.sequence, isChunk: true };
      state(witness, signerOf(header.epoch, header.producer), place, value, 'one chunk a sequence');
    },
    beginReading: () => ({ received: held.size }),
    wasRead(signer, { received }, { view = Number.POSITIVE_INFINITY, chunk = Number.POSITIVE_INFINITY }) {
      for (const [key, entry] of held) {
        if (entry.number >= received) break;
        if (entry.witnesses !== WIRE || !key.startsWith(`${signer}/`)) continue;
        if (entry.at >= (entry.isChunk ? chunk : view) + MARGIN) entry.isMissing = true;
      }
    },
    late(signer, what) {
      if (lateVotes.size < DOUBLE_SIGNINGS_MAX) lateVotes.add(`${signer}: ${what}`);
    },
    lateVotes,
    doubleSignings,
    get statements() {
      return held.size;
    },
    unlogged: () =>
      [...held].flatMap(([key, { witnesses, isMissing }]) => (witnesses === WIRE && isMissing ? [key] : [])),
    get unread() {
      return [...held.values()].filter(({ witnesses, isMissing }) => witnesses === WIRE && !isMissing).length;
    },
  };
}

function parentOf({ parentId }: Block): string {
  return hexOf(parentId);
}

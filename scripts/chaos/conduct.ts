/**
 * What each validator signed, over all its lives, and whether two of its signatures contradict each other.
 *
 *   votes and proposals heard on the wire --\
 *   votes and proposals in the logs ---------+--> statement (who, slot, value) --> same slot, another value: double signing
 *
 * Written apart from the node's own rules: a slot is what may hold one value only (consensus.md, I1, I2, I5 and rule 4).
 */
import { toHex } from '@slipstream/primitives';
import { type Block, blockIdOf, type ChunkHeader, hexOf, type Proposal, type Vote } from '@slipstream/types';

export interface DoubleSigning {
  readonly signer: number;
  /** Which rule it breaks. */
  readonly rule: string;
  readonly slot: string;
  readonly values: readonly [string, string];
}

export type Witness = 'wire' | 'log';

export interface ConductBook {
  vote(witness: Witness, vote: Vote): void;
  proposal(witness: Witness, signer: number, proposal: Pick<Proposal, 'kind' | 'block'>): void;
  chunk(witness: Witness, header: ChunkHeader): void;
  readonly doubleSignings: readonly DoubleSigning[];
  /** Distinct signed statements known. */
  readonly statements: number;
  /** Votes heard on the wire that no log of their signer holds: signed, sent, and not durable (I3). */
  unlogged(): readonly string[];
}

/** Beyond it a run has shown enough. */
const DOUBLE_SIGNINGS_MAX = 100;
const WIRE = 1;
const LOG = 2;

interface Held {
  readonly value: string;
  witnesses: number;
}

export function createConductBook(): ConductBook {
  /** By `signer/slot`. */
  const held = new Map<string, Held>();
  const doubleSignings: DoubleSigning[] = [];

  function state(witness: Witness, signer: number, slot: string, value: string, rule: string): void {
    const bit = witness === 'wire' ? WIRE : LOG;
    const key = `${signer}/${slot}`;
    const known = held.get(key);
    if (known === undefined) {
      held.set(key, { value, witnesses: bit });
    } else if (known.value === value) {
      known.witnesses |= bit;
    } else if (doubleSignings.length < DOUBLE_SIGNINGS_MAX) {
      doubleSignings.push({ signer, rule, slot, values: [known.value, value] });
    }
  }

  function vote(witness: Witness, { signer, subject }: Vote): void {
    const at = subject.view;
    switch (subject.kind) {
      case 'notarize':
        state(witness, signer, `notarize ${at}`, hexOf(subject.blockId), 'I1: one Notarize a view');
        break;
      case 'nullify':
        state(witness, signer, `end ${at}`, 'nullify', 'I2: never both Nullify and Finalize');
        break;
      case 'finalize':
        state(
          witness,
          signer,
          `end ${at}`,
          `finalize ${hexOf(subject.blockId)}`,
          'I2: never both Nullify and Finalize',
        );
        break;
      case 'certify': {
        const slot = `certify ${hexOf(subject.blockId)}`;
        state(witness, signer, slot, hexOf(subject.stateDigest), 'I5: one state digest a block');
        break;
      }
    }
  }

  function proposal(witness: Witness, signer: number, { kind, block }: Pick<Proposal, 'kind' | 'block'>): void {
    const id = hexOf(blockIdOf(block));
    state(witness, signer, `propose ${kind} ${block.view}`, id, 'rule 4: one proposal of a kind in a view');
    const slot = `propose on ${parentOf(block)} ${block.view}`;
    state(witness, signer, slot, id, 'rule 4: no two blocks with one parent in a view');
  }

  return {
    vote,
    proposal,
    chunk(witness, header) {
      const value = `${toHex(header.bodyHash)} ${header.createdMs} ${header.expiryMs}`;
      state(witness, header.producer, `chunk ${header.sequence}`, value, 'one chunk a sequence');
    },
    doubleSignings,
    get statements() {
      return held.size;
    },
    unlogged: () => [...held].flatMap(([key, { witnesses }]) => (witnesses === WIRE ? [key] : [])),
  };
}

function parentOf({ parentId }: Block): string {
  return hexOf(parentId);
}

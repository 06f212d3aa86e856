/**
 * Contradictions: two messages of one key of which no honest validator signs both. Only what the key signs is stated, so evidence is short.
 *
 *   votes       of one view: of one kind and different, or a Nullify and a Finalize (I1, I2, I5, rule 6)
 *   proposals   of one view and kind: different blocks (rule 4)
 *   chunks      of one epoch and sequence: different headers (D2)
 */
import { bytesEqual, ContainerType, createCodec, unreachable } from '@slipstream/primitives';
import { chunkHeaderCodec, chunkIdOf, chunkMessage } from '../chunk.ts';
import type { BlockId, Epoch, GenesisHash, View } from '../ids.ts';
import { epoch, view } from '../ids.ts';
import { type ProposalKind, proposalMessage, type Subject, subjectKey, subjectMessage } from '../subject.ts';
import {
  bytes32,
  type SubjectWire,
  subjectFromWire,
  subjectToWire,
  subjectType,
  uint8,
  uint32,
  uint53,
} from '../subject-wire.ts';

export const EVIDENCE_TYPES = ['votes', 'proposals', 'chunks'] as const;
type EvidenceType = (typeof EVIDENCE_TYPES)[number];

/** What a proposal's signature covers. */
interface ProposalStatement {
  readonly epoch: Epoch;
  readonly view: View;
  readonly kind: ProposalKind;
  readonly blockId: BlockId;
}

export const STATEMENT_BYTES_MAX = 256;

const PROPOSAL_KINDS = ['optimistic', 'normal'] as const satisfies readonly ProposalKind[];

export const proposalStatementType = new ContainerType({ epoch: uint32, view: uint53, kind: uint8, blockId: bytes32 });

interface ProposalStatementWire {
  readonly epoch: number;
  readonly view: number;
  readonly kind: number;
  readonly blockId: Uint8Array;
}

export const subjectCodec = createCodec<Subject, SubjectWire>('subject', subjectType, subjectType.maxSize, {
  toWire: subjectToWire,
  fromWire: subjectFromWire,
});

export const proposalStatementCodec = createCodec<ProposalStatement, ProposalStatementWire>(
  'proposal statement',
  proposalStatementType,
  proposalStatementType.maxSize,
  {
    toWire: (statement) => ({ ...statement, kind: PROPOSAL_KINDS.indexOf(statement.kind) }),
    fromWire: (wire) => {
      const kind = PROPOSAL_KINDS[wire.kind];
      if (kind === undefined) throw new RangeError(`unknown proposal kind ${wire.kind}`);
      return { epoch: epoch(wire.epoch), view: view(wire.view), kind, blockId: wire.blockId as BlockId };
    },
  },
);

export interface SignedStatement {
  /** A subject, a proposal statement or a chunk header, serialized. */
  readonly statement: Uint8Array;
  /** 96 bytes. */
  readonly signature: Uint8Array;
}

interface Pair {
  readonly type: EvidenceType;
  readonly first: SignedStatement;
  readonly second: SignedStatement;
}

/** The two signed messages. Undefined: an honest validator may sign both, or a statement does not decode. */
export function contradictionOf(
  genesisHash: GenesisHash,
  { type, first, second }: Pair,
): readonly [Uint8Array, Uint8Array] | undefined {
  switch (type) {
    case 'votes': {
      const pair = both(subjectCodec.decode, first, second);
      if (pair === undefined || !contradict(...pair)) return undefined;
      return [subjectMessage(genesisHash, pair[0]), subjectMessage(genesisHash, pair[1])];
    }
    case 'proposals': {
      const pair = both(proposalStatementCodec.decode, first, second);
      if (pair === undefined || !equivocate(...pair)) return undefined;
      const message = (of: ProposalStatement) => proposalMessage(genesisHash, of, of.kind, of.blockId);
      return [message(pair[0]), message(pair[1])];
    }
    case 'chunks': {
      const pair = both(chunkHeaderCodec.decode, first, second);
      if (pair === undefined) return undefined;
      const [a, b] = pair;
      const [idA, idB] = [chunkIdOf(a), chunkIdOf(b)];
      if (a.epoch !== b.epoch || a.sequence !== b.sequence || bytesEqual(idA, idB)) return undefined;
      return [chunkMessage(genesisHash, a.epoch, idA), chunkMessage(genesisHash, b.epoch, idB)];
    }
    default:
      return unreachable(type, 'evidence');
  }
}

function both<T>(
  decode: (bytes: Uint8Array) => { readonly ok: true; readonly value: T } | { readonly ok: false },
  first: SignedStatement,
  second: SignedStatement,
): readonly [T, T] | undefined {
  const [a, b] = [decode(first.statement), decode(second.statement)];
  return a.ok && b.ok ? [a.value, b.value] : undefined;
}

/** I1, I2, I5, and one Finalize per view (rule 6). */
export function contradict(a: Subject, b: Subject): boolean {
  if (a.epoch !== b.epoch || a.view !== b.view) return false;
  if (a.kind === b.kind) return subjectKey(a) !== subjectKey(b);
  const kinds: readonly Subject['kind'][] = [a.kind, b.kind];
  return kinds.includes('nullify') && kinds.includes('finalize');
}

function equivocate(a: ProposalStatement, b: ProposalStatement): boolean {
  return a.epoch === b.epoch && a.view === b.view && a.kind === b.kind && !bytesEqual(a.blockId, b.blockId);
}

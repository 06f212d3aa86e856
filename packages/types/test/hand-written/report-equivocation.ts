/** reportEquivocation: two messages of one key that contradict each other (epochs/contradiction.ts). Anyone may send it. */
import { ByteListType, ByteVectorType, ContainerType, createCodec, to0x } from '@slipstream/primitives';
import { parseBytes } from '../../src/actions/json.ts';
import { blsKeyFromJson, keySignatureFromJson } from '../../src/epochs/changes-json.ts';
import {
  EVIDENCE_TYPES,
  type EvidenceType,
  type SignedStatement,
  STATEMENT_BYTES_MAX,
} from '../../src/epochs/contradiction.ts';
import { ACTION_BODY_BYTES_MAX, BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES } from '../../src/limits.ts';
import { uint8 } from '../../src/subject-wire.ts';

export interface ReportEquivocation {
  readonly kind: 'reportEquivocation';
  readonly type: EvidenceType;
  /** Of the validator, when it signed. */
  readonly blsPublicKey: Uint8Array;
  readonly first: SignedStatement;
  readonly second: SignedStatement;
}

interface ReportWire extends Omit<ReportEquivocation, 'kind' | 'type'> {
  readonly type: number;
}

const statementType = new ContainerType({
  statement: new ByteListType(STATEMENT_BYTES_MAX),
  signature: new ByteVectorType(BLS_AGGREGATE_BYTES),
});
const type = new ContainerType({
  type: uint8,
  blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  first: statementType,
  second: statementType,
});

export const reportEquivocationCodec = createCodec<ReportEquivocation, ReportWire>(
  'reportEquivocation',
  type,
  ACTION_BODY_BYTES_MAX,
  {
    toWire: ({ type: evidence, blsPublicKey, first, second }) => ({
      type: EVIDENCE_TYPES.indexOf(evidence),
      blsPublicKey,
      first,
      second,
    }),
    fromWire: ({ type: number, ...rest }) => {
      const evidence = EVIDENCE_TYPES[number];
      if (evidence === undefined) throw new RangeError(`unknown evidence ${number}`);
      return { kind: 'reportEquivocation', type: evidence, ...rest };
    },
  },
);

interface StatementJson {
  readonly statement: string;
  readonly signature: string;
}

export interface ReportEquivocationJson {
  readonly kind: 'reportEquivocation';
  readonly type: EvidenceType;
  readonly blsPublicKey: string;
  readonly first: StatementJson;
  readonly second: StatementJson;
}

export function reportEquivocationToJson(action: ReportEquivocation): ReportEquivocationJson {
  const text = ({ statement, signature }: SignedStatement) => ({
    statement: to0x(statement),
    signature: to0x(signature),
  });
  return {
    kind: 'reportEquivocation',
    type: action.type,
    blsPublicKey: to0x(action.blsPublicKey),
    first: text(action.first),
    second: text(action.second),
  };
}

/** Throws RangeError with the reason. */
export function reportEquivocationFromJson(json: ReportEquivocationJson): ReportEquivocation {
  if (!EVIDENCE_TYPES.includes(json.type)) throw new RangeError(`evidence is of ${EVIDENCE_TYPES.join(', ')}`);
  return {
    kind: 'reportEquivocation',
    type: json.type,
    blsPublicKey: blsKeyFromJson(json.blsPublicKey),
    first: signedFromJson(json.first),
    second: signedFromJson(json.second),
  };
}

function signedFromJson({ statement, signature }: StatementJson): SignedStatement {
  return { statement: parseBytes(statement), signature: keySignatureFromJson(signature) };
}

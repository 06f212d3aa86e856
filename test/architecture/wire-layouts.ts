/**
 * SSZ types of values that are sent and hashed, by their names in docs/protocol/wire-formats.md.
 *
 *   ### vote                               the heading names an entry of LAYOUTS
 *   | field | type | |                     one row per field, in order; the type as typeText gives it
 */
import * as distilled from '../../packages/distilled/src/index.ts';
import * as stream from '../../packages/distilled/src/stream/index.ts';
import {
  BooleanType,
  ByteListType,
  ByteVectorType,
  type Codec,
  ContainerType,
  ListCompositeType,
  UintBigintType,
  UintNumberType,
  VectorBasicType,
} from '../../packages/primitives/src/index.ts';
import { stateSnapshotCodec } from '../../packages/state/src/snapshot/snapshot.ts';
import { pathProofCodec } from '../../packages/state-tree/src/index.ts';
import { stateProofCodec } from '../../packages/state-tree/src/proofs.ts';
import { manifestCodec } from '../../packages/sync/src/state-sync/manifest.ts';
import * as types from '../../packages/types/src/index.ts';

type AnyType = Codec<unknown>['type'];

export interface LayoutField {
  readonly field: string;
  readonly type: string;
}

function fieldsOf(type: AnyType): readonly (readonly [string, AnyType])[] {
  if (!(type instanceof ContainerType)) throw new Error(`${type.typeName} has no fields`);
  return Object.entries(type.fields as Readonly<Record<string, AnyType>>);
}

function partOf(type: AnyType, ...path: readonly string[]): AnyType {
  const [first, ...rest] = path;
  if (first === undefined) return type instanceof ListCompositeType ? (type.elementType as AnyType) : type;
  const found = fieldsOf(type).find(([name]) => name === first);
  if (found === undefined) throw new Error(`there is no field ${first}`);
  return partOf(partOf(found[1]), ...rest);
}

const frameTypes = Object.fromEntries(Object.entries(types.FRAMES).map(([name, { codec }]) => [name, codec.type]));
const { type: genesis } = types.genesisCodec;
const { type: transaction } = types.transactionCodec;

/** Containers of frames have the frame's name. */
export const LAYOUTS: Readonly<Record<string, AnyType>> = {
  ...frameTypes,
  subject: types.subjectType,
  vote: types.voteType,
  certificate: types.certificateType,
  confirmation: types.confirmationType,
  block: types.blockType,
  'chunk reference': types.chunkReferenceType,
  'chunk certificate': partOf(types.chunkReferenceType, 'certificate'),
  'chunk header': types.chunkHeaderType,
  'signed chunk': types.signedChunkCodec.type,
  'chunk body': types.chunkBodyCodec.type,
  transaction,
  'transaction body': partOf(transaction, 'body'),
  'account key': partOf(transaction, 'body', 'sender'),
  action: partOf(transaction, 'body', 'actions'),
  change: types.changeType,
  'proposal statement': types.proposalStatementType,
  authority: partOf(transaction, 'auth'),
  receipt: types.receiptCodec.type,
  'digest preimage': types.digestPreimageCodec.type,
  'distilled roots': partOf(types.digestPreimageCodec.type, 'distilled'),
  'inclusion proof': types.inclusionProofCodec.type,
  'batch header': distilled.batchHeaderCodec.type,
  'batch leaf': distilled.batchLeafCodec.type,
  'row proof': distilled.rowProofCodec.type,
  'certified row proof': distilled.certifiedRowProofCodec.type,
  login: stream.CLIENT_MESSAGES.login.codec.type,
  'rows message': stream.CLIENT_MESSAGES.rows.codec.type,
  share: stream.CLIENT_MESSAGES.share.codec.type,
  challenge: stream.BROKER_MESSAGES.challenge.codec.type,
  welcome: stream.BROKER_MESSAGES.welcome.codec.type,
  terms: stream.BROKER_MESSAGES.terms.codec.type,
  'refused rows': stream.BROKER_MESSAGES.refused.codec.type,
  'refused row': partOf(stream.BROKER_MESSAGES.refused.codec.type, 'rows'),
  'header with paths': stream.BROKER_MESSAGES.headerWithPaths.codec.type,
  'own place': partOf(stream.BROKER_MESSAGES.headerWithPaths.codec.type, 'own'),
  'proven rows': partOf(stream.BROKER_MESSAGES.headerWithPaths.codec.type, 'leaves'),
  'header with columns': stream.BROKER_MESSAGES.headerWithColumns.codec.type,
  outcomes: stream.BROKER_MESSAGES.outcomes.codec.type,
  'dropped rows': stream.BROKER_MESSAGES.dropped.codec.type,
  'dropped row': partOf(stream.BROKER_MESSAGES.dropped.codec.type, 'rows'),
  'end of a stream': stream.BROKER_MESSAGES.end.codec.type,
  'state path': pathProofCodec.type,
  'state proof': stateProofCodec.type,
  'proven key': partOf(stateProofCodec.type, 'entries'),
  'directory proof': types.directoryProofCodec.type,
  grant: types.grantCodec.type,
  credential: types.credentialCodec.type,
  'credential proof': types.credentialProofCodec.type,
  'certified member': partOf(types.credentialProofCodec.type, 'members'),
  'committee certificate': types.committeeCertificateCodec.type,
  genesis,
  member: partOf(genesis, 'members'),
  'distilled parameters': partOf(genesis, 'distilled'),
  'genesis application': partOf(genesis, 'applications'),
  allocation: partOf(genesis, 'allocations'),
  'generated accounts': partOf(genesis, 'generated'),
  'fee parameters': partOf(genesis, 'fees'),
  'time parameters': partOf(genesis, 'times'),
  governance: partOf(genesis, 'governance'),
  'epoch parameters': types.epochParametersType,
  'epoch record': types.epochRecordCodec.type,
  'record member': types.recordMemberType,
  'epoch entry': types.epochEntryType,
  'epoch end': types.epochEndCodec.type,
  handover: types.handoverType,
  'state parameters': partOf(genesis, 'state'),
  manifest: manifestCodec.type,
  'state snapshot': stateSnapshotCodec.type,
  'snapshot file': partOf(stateSnapshotCodec.type, 'files'),
};

const NAMED = new Map([...Object.entries(LAYOUTS)].map(([name, type]) => [type, name]));

export function typeText(type: AnyType): string {
  const name = NAMED.get(type);
  if (name !== undefined) return name;
  if (type instanceof BooleanType) return 'bool';
  if (type instanceof UintNumberType || type instanceof UintBigintType) return `u${8 * type.byteLength}`;
  if (type instanceof ByteVectorType) return `bytes${type.lengthBytes}`;
  if (type instanceof ByteListType) return `bytes <= ${type.limitBytes}`;
  if (type instanceof VectorBasicType) return `${type.length} ${typeText(type.elementType as AnyType)}`;
  if (type instanceof ListCompositeType) return `list <= ${type.limit} of ${typeText(type.elementType as AnyType)}`;
  throw new Error(`${type.typeName} has no name in docs/protocol/wire-formats.md`);
}

export function layoutOf(type: AnyType): readonly LayoutField[] {
  return fieldsOf(type).map(([field, part]) => ({ field, type: typeText(part) }));
}

/** Fields of a built-in action, or of a record in it. */
export function layoutOfFields(fields: readonly types.FieldDescription[]): readonly LayoutField[] {
  return fields.map(({ name, of }) => ({ field: name, type: formText(of) }));
}

function formText(form: types.Description): string {
  if (form.name !== undefined) return form.name;
  switch (form.form) {
    case 'oneOf':
      return 'u8';
    case 'u16':
      return 'u16';
    case 'u32':
    case 'scope':
      return 'u32';
    case 'timeMs':
    case 'amount':
      return 'u64';
    case 'id':
    case 'peerKey':
      return 'bytes32';
    case 'fixedBytes':
      return `bytes${form.bytes}`;
    case 'bytes':
    case 'text':
      return `bytes <= ${form.bytesMax}`;
    case 'list':
      return `list <= ${form.itemsMax} of ${formText(form.of)}`;
    default:
      throw new Error(`a ${form.form} has no name in docs/protocol/wire-formats.md`);
  }
}

function recordsIn(form: types.Description): readonly (readonly [string, readonly types.FieldDescription[]])[] {
  if (form.form === 'list') return recordsIn(form.of);
  return form.form === 'record' && form.name !== undefined ? [[form.name, form.fields]] : [];
}

export function layoutOfAction(
  action: Pick<types.ActionDefinition, 'fields' | 'inBytes'>,
): readonly types.FieldDescription[] {
  return action.inBytes?.fields ?? action.fields;
}

/** Records in built-in actions, by their names. */
export const RECORDS = new Map(
  Object.values(types.ACTIONS).flatMap((action) => layoutOfAction(action).flatMap(({ of }) => recordsIn(of))),
);

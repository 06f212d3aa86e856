/** A row proof as bytes, hex text, JSON, or a route's whole answer. The row id is the caller's, or of the JSON. All parts must agree. */
import { type CertifiedRowProof, certifiedRowProofCodec, type ProvenRow, rowIdOf } from '@slipstream/distilled';
import { fail, fromHex, ok, type Result, to0x } from '@slipstream/primitives';
import {
  createCheck,
  faultsText,
  type RowProofJson,
  RowProofSchema,
  rowProofToJson,
  rowToJson,
} from '@slipstream/schema';
import { differenceOf, type JsonObject } from './read-proof.ts';

const checkRowProofJson = createCheck(RowProofSchema);
const ROW_ID = /^0x[0-9a-fA-F]{64}$/;
const STATUS = { success: 'final', failed: 'failed', skipped: 'skipped' } as const;

export interface ReadRowProof {
  readonly proof: CertifiedRowProof;
  readonly rowId: Uint8Array;
  /** JSON of handovers. */
  readonly epochs: readonly unknown[];
  /** JSON of the proof, which says what the serialization does not show by itself. */
  readonly json: RowProofJson | undefined;
  /** The answer that the proof came in. */
  readonly answer: JsonObject | undefined;
}

export function readRowProof(input: unknown, asked: string | undefined): Result<ReadRowProof, string> {
  if (asked !== undefined && !ROW_ID.test(asked)) return fail('a row id is 0x and 64 hexadecimal digits');
  if (input instanceof Uint8Array) return readSerialized(input, asked);
  if (typeof input === 'string') return readText(input, asked);
  if (typeof input !== 'object' || input === null) return fail('a proof is bytes, 0x text or a JSON object');
  const object = input as JsonObject;
  if (!('proof' in object)) return readJson(object, asked, undefined);
  if (typeof object.proof !== 'object' || object.proof === null) return fail('"proof" is not an object');
  return readJson(object.proof as JsonObject, asked, object);
}

function readText(text: string, asked: string | undefined): Result<ReadRowProof, string> {
  if (!/^0x([0-9a-f]{2})*$/.test(text)) return fail('the text of a proof is 0x and lower-case hexadecimal digits');
  return readSerialized(fromHex(text), asked);
}

function readSerialized(bytes: Uint8Array, asked: string | undefined): Result<ReadRowProof, string> {
  if (asked === undefined) return fail('a serialized row proof names no row: the row id is needed');
  const decoded = certifiedRowProofCodec.decode(bytes);
  if (!decoded.ok) return fail(decoded.error.message);
  return ok({ proof: decoded.value, rowId: idOf(asked), epochs: [], json: undefined, answer: undefined });
}

function readJson(given: JsonObject, asked: string | undefined, answer: JsonObject | undefined) {
  const checked = checkRowProofJson(given);
  if (!checked.ok) return fail(faultsText(checked.error));
  const json = checked.value;
  const rowId = asked ?? json.rowId;
  if (rowId.toLowerCase() !== json.rowId)
    return fail(`it is of row ${json.rowId}, not of the one that was asked about`);
  const read = readText(json.ssz, rowId);
  return read.ok ? ok({ ...read.value, epochs: json.epochs ?? [], json, answer }) : read;
}

function idOf(text: string): Uint8Array {
  return fromHex(text.toLowerCase());
}

/** What else was said of the row, and is not what the proof shows: JSON pointer; undefined: all agrees. */
export function falseClaim(
  { proof, rowId, json, answer }: ReadRowProof,
  proven: ProvenRow,
  { batchId, position }: { readonly batchId: Uint8Array; readonly position: number },
): string | undefined {
  if (json !== undefined) {
    const { epochs: _, ...said } = json;
    const difference = differenceOf(said, rowProofToJson(proof, proven, { rowId, batchId, position }), '');
    if (difference !== undefined) return difference;
  }
  return answer && falseAnswer(answer, proof, proven, { batchId, position });
}

/** Accounts are of the directory, which has proofs of its own. */
function falseAnswer(
  answer: JsonObject,
  { preimages }: CertifiedRowProof,
  { row, outcome, leaf, index }: ProvenRow,
  { batchId, position }: { readonly batchId: Uint8Array; readonly position: number },
): string | undefined {
  const [first] = preimages;
  const id = to0x(rowIdOf(batchId, position));
  const { height } = first ?? {};
  const claims = { id, status: STATUS[outcome.status], height } as const;
  for (const [key, claim] of Object.entries(claims)) if (key in answer && answer[key] !== claim) return `/${key}`;
  if (!('row' in answer)) return undefined;
  if (typeof answer.row !== 'object' || answer.row === null) return '/row';
  const { sender: _sender, recipient: _recipient, straggler, fee, ...said } = answer.row as JsonObject;
  const blockId = first && to0x(first.blockId);
  const shown = { batchId: to0x(batchId), position, ...rowToJson(row), outcome, height, blockId, index };
  const difference = differenceOf(said, shown, '/row');
  if (difference !== undefined) return difference;
  // A straggler's fee is not below the row's; zero says that the batch had none that was charged.
  if (straggler === true && outcome.status !== 'skipped' && leaf.stragglerFee < leaf.rowFee) return '/row/straggler';
  if (fee === undefined) return undefined;
  const charged = straggler === true ? leaf.stragglerFee : leaf.rowFee;
  return fee === (outcome.status === 'skipped' ? '0' : charged.toString()) ? undefined : '/row/fee';
}

/** Bytes, hex text, JSON or a route's whole answer. All parts must agree. Handovers are not read here. */
import { bytesEqual, fail, fromHex, ok, type Result, to0x } from '@slipstream/primitives';
import { createCheck, ProofSchema, proofToJson, TransactionSchema, transactionFromJson } from '@slipstream/schema';
import { eventsInOutput, type InclusionProof, inclusionProofCodec, transactionIdOf } from '@slipstream/types';

const checkProofJson = createCheck(ProofSchema);
const checkTransactionJson = createCheck(TransactionSchema);

export type JsonObject = { readonly [key: string]: unknown };

interface ReadProof {
  readonly proof: InclusionProof;
  /** JSON of handovers. */
  readonly epochs: readonly unknown[];
}

export function readProof(input: unknown): Result<ReadProof, string> {
  if (input instanceof Uint8Array) return withoutEpochs(readBytes(input));
  if (typeof input === 'string') return withoutEpochs(readText(input));
  if (typeof input !== 'object' || input === null) return fail('a proof is bytes, 0x text or a JSON object');
  const object = input as JsonObject;
  return 'proof' in object ? readAnswer(object) : readJson(object);
}

function withoutEpochs(read: Result<InclusionProof, string>): Result<ReadProof, string> {
  return read.ok ? ok({ proof: read.value, epochs: [] }) : read;
}

function readBytes(bytes: Uint8Array): Result<InclusionProof, string> {
  const decoded = inclusionProofCodec.decode(bytes);
  return decoded.ok ? decoded : fail(decoded.error.message);
}

function readText(text: string): Result<InclusionProof, string> {
  if (!/^0x([0-9a-f]{2})*$/.test(text)) return fail('the text of a proof is 0x and lower-case hexadecimal digits');
  return readBytes(fromHex(text));
}

function readJson(json: JsonObject): Result<ReadProof, string> {
  const checked = checkProofJson(json);
  if (!checked.ok) return fail(checked.error.map(({ path, message }) => `${path || 'proof'} ${message}`).join('; '));
  const proof = readText(checked.value.ssz);
  if (!proof.ok) return proof;
  const { epochs = [], ...rest } = checked.value;
  const difference = differenceOf(rest, proofToJson(proof.value), '');
  return difference === undefined
    ? ok({ proof: proof.value, epochs })
    : fail(`${difference} is not what the serialization says`);
}

function readAnswer(answer: JsonObject): Result<ReadProof, string> {
  const nested = answer.proof;
  if (typeof nested !== 'object' || nested === null) return fail('"proof" is not an object');
  const read = readJson(nested as JsonObject);
  if (!read.ok) return read;
  const { proof } = read.value;
  const { receipt } = proofToJson(proof);
  const claims = {
    id: receipt.transactionId,
    status: receipt.status,
    height: receipt.height,
    receipt,
  } as const;
  for (const [key, claim] of Object.entries(claims)) {
    if (!(key in answer)) continue;
    const difference = differenceOf(answer[key], claim, `/${key}`);
    if (difference !== undefined) return fail(`${difference} is not what the proof says`);
  }
  if ('events' in answer && !areEventsOf(answer.events, proof)) return fail('/events are not those of the receipt');
  if ('transaction' in answer && !isTransactionOf(answer.transaction, proof)) {
    return fail('/transaction is not the transaction of the receipt');
  }
  return read;
}

/** Names and fields are the node's reading: an application's client reads the receipt by itself. */
function areEventsOf(events: unknown, { receipt }: InclusionProof): boolean {
  const own = eventsInOutput(receipt.output) ?? [];
  if (!Array.isArray(events) || events.length !== own.length) return false;
  return own.every(({ event, body }, i) => events[i]?.event === event && events[i]?.body === to0x(body));
}

function isTransactionOf(json: unknown, { receipt }: InclusionProof): boolean {
  const checked = checkTransactionJson(json);
  if (!checked.ok) return false;
  const transaction = transactionFromJson(checked.value);
  return transaction.ok && bytesEqual(transactionIdOf(transaction.value.body), receipt.transactionId);
}

/** JSON pointer of the first difference; undefined: equal. */
export function differenceOf(given: unknown, expected: unknown, path: string): string | undefined {
  if (typeof expected !== 'object' || expected === null) return given === expected ? undefined : path || '/';
  if (typeof given !== 'object' || given === null || Array.isArray(given) !== Array.isArray(expected))
    return path || '/';
  for (const key of new Set([...Object.keys(given), ...Object.keys(expected)])) {
    if (!Object.hasOwn(given, key) || !Object.hasOwn(expected, key)) return `${path}/${key}`;
    const inside = differenceOf((given as JsonObject)[key], (expected as JsonObject)[key], `${path}/${key}`);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

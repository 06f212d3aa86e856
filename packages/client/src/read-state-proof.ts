/** A state proof as bytes, hex text, JSON, or a route's whole answer with one. All parts must agree. Handovers are not read here. */
import { fail, fromHex, ok, type Result, to0x } from '@slipstream/primitives';
import { createCheck, faultsText, StateProofSchema, stateProofToJson } from '@slipstream/schema';
import { type StateProof, stateProofCodec } from '@slipstream/state-tree/proofs';
import { differenceOf, type JsonObject } from './read-proof.ts';
import { accountJson, type StateEntry, sessionJson } from './state-entry.ts';

const checkStateProofJson = createCheck(StateProofSchema);

export interface ReadStateProof {
  readonly proof: StateProof;
  /** JSON of handovers. */
  readonly epochs: readonly unknown[];
  /** What the answer says beside its proof. */
  readonly answer: JsonObject | undefined;
}

export function readStateProof(input: unknown): Result<ReadStateProof, string> {
  if (input instanceof Uint8Array) return readSerialized(input);
  if (typeof input === 'string') return readText(input);
  if (typeof input !== 'object' || input === null) return fail('a proof is bytes, 0x text or a JSON object');
  const object = input as JsonObject;
  if (!('proof' in object)) return readJson(object, undefined);
  if (typeof object.proof !== 'object' || object.proof === null) return fail('"proof" is not an object');
  const { proof, ...answer } = object;
  return readJson(proof as JsonObject, answer);
}

/** Whether it has the form of a state proof, or of an answer with one; of bytes: whether they are one. */
export function isStateProof(input: unknown): boolean {
  if (input instanceof Uint8Array) return stateProofCodec.decode(input).ok;
  if (typeof input !== 'object' || input === null) return false;
  const { proof = input } = input as { readonly proof?: unknown };
  return typeof proof === 'object' && proof !== null && 'entries' in proof;
}

function readText(text: string): Result<ReadStateProof, string> {
  if (!/^0x([0-9a-f]{2})*$/.test(text)) return fail('the text of a proof is 0x and lower-case hexadecimal digits');
  return readSerialized(fromHex(text));
}

function readSerialized(bytes: Uint8Array): Result<ReadStateProof, string> {
  const decoded = stateProofCodec.decode(bytes);
  return decoded.ok ? ok({ proof: decoded.value, epochs: [], answer: undefined }) : fail(decoded.error.message);
}

function readJson(json: JsonObject, answer: JsonObject | undefined): Result<ReadStateProof, string> {
  const checked = checkStateProofJson(json);
  if (!checked.ok) return fail(faultsText(checked.error));
  const { epochs = [], ...said } = checked.value;
  const read = readText(said.ssz);
  if (!read.ok) return read;
  const difference = differenceOf(said, stateProofToJson(read.value.proof), '');
  if (difference !== undefined) return fail(`${difference} is not what the serialization says`);
  return ok({ proof: read.value.proof, epochs, answer });
}

/**
 * What an answer says beside its proof and the proof does not show: JSON pointer; undefined: all agrees. Of a session, `status` is left out:
 * whether it has expired depends on the time.
 */
export function falseStateClaim(answer: JsonObject, entry: StateEntry, height: number): string | undefined {
  const shown = shownOf(entry, height);
  if (shown === undefined) return '/';
  const { status, ...said } = answer;
  if (entry.kind === 'session' && entry.record && (status === 'revoked') !== entry.record.revoked) return '/status';
  return differenceOf(entry.kind === 'session' ? said : answer, shown, '');
}

/** As the routes answer. Undefined: they answer no such thing. */
function shownOf(entry: StateEntry, height: number): JsonObject | undefined {
  switch (entry.kind) {
    case 'account':
      return { ...accountJson(entry), height };
    case 'data': {
      const { account, name, value } = entry;
      return value && { account, name, value: to0x(value), height };
    }
    case 'session':
      return entry.record && { ...sessionJson(entry.id, entry.record), height };
    case 'other':
      return undefined;
    default:
      return entry satisfies never;
  }
}

/**
 * One chunk and the checks of its structure (D7): sizes, hash, counts, units, form of batches; once, on entry. Bad transactions and signatures
 * are no fault of structure: execution skips them (D3).
 */
import { assert, bytesEqual, fail, ok, type Result, sha256 } from '@slipstream/primitives';
import {
  addUnits,
  CHUNK_BATCHES_MAX,
  CHUNK_TRANSACTIONS_MAX,
  type ChunkHeader,
  type ChunkId,
  type CredentialReader,
  chunkBodyCodec,
  chunkIdOf,
  type DecodedTransaction,
  decodeTransaction,
  type Epoch,
  type Hex,
  hexOf,
  NO_UNITS,
  type SignedChunk,
  signedChunkCodec,
  UNIT_DIMENSIONS,
  type Units,
} from '@slipstream/types';
import { type BatchRules, openBatches, rowsOfChunkMax, type StoredBatch } from '../batches/stored-batch.ts';
import type { Rules } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import { REFERENCE_WINDOW_MS } from '../limits.ts';

/** Sound header, unread body. */
export interface UnopenedChunk extends SignedChunk {
  readonly id: ChunkId;
  readonly hex: Hex<ChunkId>;
  /** Serialized signed chunk. */
  readonly bytes: Uint8Array;
}

/** Lives only while its transactions are judged; the store retains a StoredChunk. */
export interface OpenedChunk extends UnopenedChunk {
  readonly transactions: readonly DecodedTransaction[];
  readonly batches: readonly StoredBatch[];
}

/** An epoch that is not known here is no offence (W11). */
export type ChunkFault = { readonly type: 'malformed' | 'invalid' | 'foreign-epoch'; readonly detail: string };

export interface ChunkRules {
  readonly committees: Pick<Committees, 'of'>;
  readonly rules: Pick<Rules, 'unitsOf'>;
  readonly credentials: CredentialReader;
  /** Undefined: chunks have no batches. */
  readonly batches?: BatchRules | undefined;
}

type BodyRules = Pick<ChunkRules, 'rules' | 'credentials' | 'batches'>;

/** Checks all but the signature. */
export function openChunk(bytes: Uint8Array, rules: ChunkRules): Result<OpenedChunk, ChunkFault> {
  const unopened = readChunk(bytes, rules);
  return unopened.ok ? openBody(unopened.value, rules) : unopened;
}

/**
 * Reads the header alone: microseconds. The limits of its epoch bound a check's cost: a credential's units stand for two BLS verifications
 * and are compared first.
 */
export function readChunk(
  bytes: Uint8Array,
  { committees, batches }: Pick<ChunkRules, 'committees' | 'batches'>,
): Result<UnopenedChunk, ChunkFault> {
  const decoded = signedChunkCodec.decode(bytes);
  if (!decoded.ok) return fail({ type: 'malformed', detail: decoded.error.message });
  const { header, body } = decoded.value;
  const committee = committees.of(header.epoch);
  if (committee === undefined) {
    return fail({ type: 'foreign-epoch', detail: `epoch ${header.epoch} is not known here` });
  }
  if (committee.members[header.producer] === undefined) return invalid(`there is no member ${header.producer}`);
  const { unitLimits } = committee;
  const over = UNIT_DIMENSIONS.find((_, i) => (header.units[i] as number) > (unitLimits[i] as number));
  if (over !== undefined) return invalid(`it takes more ${over} units than a block may hold`);
  const lifeMs = header.expiryMs - header.createdMs;
  if (lifeMs <= 0 || lifeMs > REFERENCE_WINDOW_MS) return invalid(`it lives ${lifeMs} ms`);
  if (header.bodyBytes !== body.length) return invalid('its body has another length than its header says');
  const counts = faultOfCounts(header, batches);
  if (counts !== undefined) return invalid(counts);
  return ok(unopenedOf(decoded.value, bytes));
}

function faultOfCounts(
  { transactionCount, batchCount, rowCount }: ChunkHeader,
  batches: BatchRules | undefined,
): string | undefined {
  if (transactionCount > CHUNK_TRANSACTIONS_MAX || transactionCount + batchCount < 1) {
    return `it holds ${transactionCount} transactions`;
  }
  if (batchCount === 0 && rowCount === 0) return undefined;
  if (batches === undefined) return 'it holds batches, and its chain has no account directory';
  const isWithin = batchCount <= CHUNK_BATCHES_MAX && rowCount >= batchCount && rowCount <= rowsOfChunkMax(batches);
  return isWithin ? undefined : `it holds ${batchCount} batches of ${rowCount} rows`;
}

/** One that was judged when it was stored, perhaps of an epoch that is over for long. Undefined: damaged. */
export function reopenChunk(bytes: Uint8Array, rules: BodyRules): OpenedChunk | undefined {
  const decoded = signedChunkCodec.decode(bytes);
  if (!decoded.ok) return undefined;
  const opened = openBody(unopenedOf(decoded.value, bytes), rules);
  return opened.ok ? opened.value : undefined;
}

function unopenedOf(signed: SignedChunk, bytes: Uint8Array): UnopenedChunk {
  const id = chunkIdOf(signed.header);
  return { ...signed, id, hex: hexOf(id), bytes };
}

/** Hashes and decodes the body: milliseconds for a large one. */
export function openBody(
  unopened: UnopenedChunk,
  { rules, credentials, batches: batchRules }: BodyRules,
): Result<OpenedChunk, ChunkFault> {
  const { header, body } = unopened;
  if (!bytesEqual(sha256(body), header.bodyHash)) return invalid('its body has another hash than its header says');
  const decoded = chunkBodyCodec.decode(body);
  if (!decoded.ok) return invalid(decoded.error.message);
  const serialized = decoded.value.transactions;
  if (serialized.length !== header.transactionCount) return invalid('it holds another number of transactions');
  if (decoded.value.batches.length !== header.batchCount) return invalid('it holds another number of batches');
  const batches = batchRules === undefined ? NO_BATCHES : openBatches(decoded.value.batches, header, batchRules);
  if (!batches.ok) return invalid(batches.error);
  const transactions = serialized.map((each) => decodeTransaction(each, credentials));
  const called = sumUnits(transactions, rules, header.epoch);
  const units = called && batches.value.reduce((sum, batch) => addUnits(sum, batch.units), called);
  if (units !== undefined && !sameUnits(units, header.units)) return invalid('its units are another sum');
  return ok({ ...unopened, transactions, batches: batches.value });
}

const NO_BATCHES: Result<readonly StoredBatch[], string> = ok([]);

export function transactionsIn(body: Uint8Array, credentials: CredentialReader): readonly DecodedTransaction[] {
  const decoded = chunkBodyCodec.decode(body);
  assert(decoded.ok, 'a chunk that is here has a sound body');
  return decoded.value.transactions.map((each) => decodeTransaction(each, credentials));
}

function invalid(detail: string): Result<never, ChunkFault> {
  return fail({ type: 'invalid', detail });
}

/** Undefined: this node lacks what the epoch's record names. */
function sumUnits(
  transactions: readonly DecodedTransaction[],
  rules: Pick<Rules, 'unitsOf'>,
  epoch: Epoch,
): Units | undefined {
  const sum = [...NO_UNITS];
  for (const { transaction, bytes } of transactions) {
    const units = rules.unitsOf(transaction, bytes.length, epoch);
    if (units === undefined) return undefined;
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (units[i] as number);
  }
  return sum;
}

export function sameUnits(a: Units, b: Units): boolean {
  return a.every((units, i) => units === b[i]);
}

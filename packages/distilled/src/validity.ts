/**
 * Validity of a decoded batch. It depends on entries that never change, as of a final height, so all nodes judge alike.
 *
 *   batch --form--> claims: one aggregate by the sum of keys, Ed25519 signatures --verifier--> valid or not
 *
 * Rules Z1 to Z6. The window of knownAt is no part: a chunk is judged before its block is known (skip.ts).
 */
import {
  ACCOUNT_SIGNATURES_MAX,
  type AccountSignature,
  DISTILLED_CLAIMS_MAX,
  type DistilledClaim,
  type DistilledVerifier,
  type Priority,
  type Verifier,
} from '@slipstream/ports';
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import { BLS_UNCOMPRESSED_KEY_BYTES, type GenesisHash } from '@slipstream/types';
import type { Batch } from './batch.ts';
import { batchIdOf, stragglerMessage } from './header.ts';
import { rowsRootOf } from './row-tree.ts';
import { type RowColumns, rowAt } from './rows.ts';

export interface DirectoryView {
  /** Entries at the batch's knownAt: each lower index has an entry. */
  readonly size: number;
  /** Column of BLS keys by index: 96 bytes each, `size` of them at least. */
  readonly keys: Uint8Array;
  /** 32 bytes, Ed25519; undefined for an account of another scheme. */
  accountKey(index: number): Uint8Array | undefined;
}

export interface FormContext {
  readonly genesisHash: GenesisHash;
  /** Of the chunk. */
  readonly epoch: number;
  readonly directory: DirectoryView;
}

type FormFault = 'wrong-epoch' | 'wrong-root' | 'index-unknown' | 'no-straggler-key'; // its account does not sign with Ed25519

export interface BatchClaims {
  readonly batchId: Uint8Array;
  /** Undefined if each row has a straggler signature. */
  readonly aggregate: DistilledClaim | undefined;
  readonly stragglers: readonly AccountSignature[];
}

/** All that needs no signature check. */
export function checkBatchForm(batch: Batch, context: FormContext): Result<BatchClaims, FormFault> {
  const { header, rows, stragglers } = batch;
  const { genesisHash, directory } = context;
  if (header.epoch !== context.epoch) return fail('wrong-epoch');
  if (!areBelow(rows.senders, directory.size) || !areBelow(rows.recipients, directory.size)) {
    return fail('index-unknown');
  }
  if (!bytesEqual(rowsRootOf(rows), header.root)) return fail('wrong-root');

  const batchId = batchIdOf(genesisHash, header);
  const signatures: AccountSignature[] = [];
  for (const straggler of stragglers) {
    const row = rowAt(rows, straggler.position);
    const publicKey = directory.accountKey(row.sender);
    if (publicKey === undefined) return fail('no-straggler-key');
    const message = stragglerMessage(genesisHash, row, straggler);
    signatures.push({ publicKey, message, signature: straggler.signature });
  }
  const { aggregate } = batch;
  const claim = aggregate && { message: batchId, keys: keysOf(signersOf(batch), directory.keys), aggregate };
  return ok({ batchId, aggregate: claim, stragglers: signatures });
}

function areBelow(indices: Uint32Array, size: number): boolean {
  for (let i = 0; i < indices.length; i++) if ((indices[i] as number) >= size) return false;
  return true;
}

/** Senders of rows without straggler signature, each once, ascending: those whose keys the aggregate is checked with. */
export function signersOf({ rows, stragglers }: Pick<Batch, 'rows' | 'stragglers'>): Uint32Array {
  const { count, senders }: RowColumns = rows;
  const signers = new Uint32Array(count);
  let found = 0;
  let nextStraggler = 0;
  for (let i = 0; i < count; i++) {
    if (stragglers[nextStraggler]?.position === i) {
      nextStraggler++;
      continue;
    }
    const sender = senders[i] as number;
    if (found === 0 || signers[found - 1] !== sender) signers[found++] = sender;
  }
  return signers.slice(0, found);
}

function keysOf(signers: Uint32Array, column: Uint8Array): Uint8Array {
  const keys = new Uint8Array(BLS_UNCOMPRESSED_KEY_BYTES * signers.length);
  for (let i = 0; i < signers.length; i++) {
    const from = BLS_UNCOMPRESSED_KEY_BYTES * (signers[i] as number);
    keys.set(column.subarray(from, from + BLS_UNCOMPRESSED_KEY_BYTES), BLS_UNCOMPRESSED_KEY_BYTES * i);
  }
  return keys;
}

/** One answer each, in order, of any number. Aggregates share pairings, as many as a call takes. */
export async function checkClaims(
  batches: readonly BatchClaims[],
  verifier: DistilledVerifier & Pick<Verifier, 'checkAccounts'>,
  priority: Priority,
): Promise<readonly boolean[]> {
  const withAggregate = batches.flatMap(({ aggregate }) => aggregate ?? []);
  const stragglers = batches.flatMap((batch) => batch.stragglers);
  const [aggregates, signatures] = await Promise.all([
    inParts(withAggregate, DISTILLED_CLAIMS_MAX, (part) => verifier.checkDistilled(part, priority)),
    inParts(stragglers, ACCOUNT_SIGNATURES_MAX, (part) => verifier.checkAccounts(part, priority)),
  ]);
  let aggregateAt = 0;
  let signatureAt = 0;
  return batches.map(({ aggregate, stragglers: own }) => {
    const isSigned = aggregate === undefined || aggregates[aggregateAt++] === true;
    const answers = signatures.slice(signatureAt, signatureAt + own.length);
    signatureAt += own.length;
    return isSigned && answers.length === own.length && answers.every(Boolean);
  });
}

/** One part after another: a chunk of small batches has more than a call takes, and its keys do not fill the verifier's queue at once. */
async function inParts<T>(
  items: readonly T[],
  most: number,
  check: (part: readonly T[]) => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  const answers: boolean[] = [];
  for (let at = 0; at < items.length; at += most) answers.push(...(await check(items.slice(at, at + most))));
  return answers;
}

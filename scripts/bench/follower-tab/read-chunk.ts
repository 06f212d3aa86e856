/** Opens a chunk that a block names: its bytes are the ones that were ordered, and each transaction has its verdict. */
import type { BlockChunk } from '@slipstream/execution';
import type { AccountSignature } from '@slipstream/ports';
import { bytesEqual, sha256, to0x } from '@slipstream/primitives';
import {
  authorityMessage,
  type ChunkId,
  chunkBodyCodec,
  chunkIdOf,
  type DecodedTransaction,
  decodeTransaction,
  hasKeySignatures,
  type PreparedTransaction,
  sessionKeyOf,
  signedChunkCodec,
} from '@slipstream/types';
import { FollowerError } from './errors.ts';

/** One answer per entry, in order, by the rules of S1. */
export type CheckAccounts = (batch: readonly AccountSignature[]) => Promise<readonly boolean[]>;

/**
 * The producer's signature is not checked: the chunk's id commits to all of the chunk, and a quorum certified the block that names the id.
 * Throws FollowerError `wrong-chunk` or `unsupported`.
 */
export async function readChunk(
  bytes: Uint8Array,
  chunkId: ChunkId,
  checkAccounts: CheckAccounts,
): Promise<BlockChunk> {
  const signed = signedChunkCodec.decode(bytes);
  if (!signed.ok) throw wrong(chunkId, signed.error.message);
  const { header, body } = signed.value;
  if (!bytesEqual(chunkIdOf(header), chunkId)) throw wrong(chunkId, 'its header has another hash');
  if (!bytesEqual(sha256(body), header.bodyHash)) throw wrong(chunkId, 'its body has another hash');
  const items = chunkBodyCodec.decode(body);
  if (!items.ok) throw wrong(chunkId, items.error.message);
  if (items.value.batches.length > 0) throw unsupported(chunkId, 'distilled batches');
  const decoded = items.value.transactions.map((each) => decodeTransaction(each));
  if (decoded.some(needsValidatorKeys)) throw unsupported(chunkId, 'credentials, or signatures of keys of validators');
  const { epoch, producer } = header;
  return { epoch, producer, transactions: await withVerdicts(decoded, checkAccounts) };
}

function needsValidatorKeys({ transaction }: DecodedTransaction): boolean {
  return transaction !== undefined && (transaction.auth.scheme === 'session' || hasKeySignatures(transaction.body));
}

async function withVerdicts(
  decoded: readonly DecodedTransaction[],
  checkAccounts: CheckAccounts,
): Promise<readonly PreparedTransaction[]> {
  const asked: AccountSignature[] = [];
  const places = decoded.map(({ id, transaction }) => {
    if (transaction === undefined) return undefined;
    const { body, auth } = transaction;
    const publicKey = auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
    return asked.push({ publicKey, message: authorityMessage(id, auth), signature: auth.signature }) - 1;
  });
  const answers = await checkAccounts(asked);
  return decoded.map((each, i) => ({ ...each, signatureValid: answers[places[i] ?? -1] === true }));
}

function wrong(chunkId: ChunkId, what: string): FollowerError {
  const data = { chunkId: to0x(chunkId) };
  return new FollowerError('wrong-chunk', `these are not the bytes of chunk ${data.chunkId}: ${what}`, data);
}

function unsupported(chunkId: ChunkId, what: string): FollowerError {
  const data = { chunkId: to0x(chunkId) };
  return new FollowerError('unsupported', `chunk ${data.chunkId} holds ${what}, which a follower does not check`, data);
}

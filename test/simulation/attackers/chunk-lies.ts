/** A lying producer's variants of its chunks, validly signed. */
import { decompress } from '@slipstream/network/compression';
import { sha256 } from '@slipstream/primitives';
import {
  addUnits,
  CHUNK_MESSAGE_BYTES_MAX,
  type ChunkHeader,
  chunkBodyCodec,
  chunkIdOf,
  chunkMessage,
  decodeTransaction,
  type Frame,
  NO_UNITS,
  type SignedChunk,
  signedChunkCodec,
} from '@slipstream/types';
import { transactionBytes, unitsOf } from '../harness/accounts.ts';
import { frameOf, type Liar } from './corrupted.ts';

const RATIO_MAX = 1_000;
const LIFE_MS = 20_000;

/** Undefined: another producer's. */
export function ownChunkIn(frame: Frame, { self }: Liar): SignedChunk | undefined {
  if (frame.name !== 'chunk') return undefined;
  const { compressed, bytes } = frame.value;
  const limits = { bytesMax: CHUNK_MESSAGE_BYTES_MAX, ratioMax: RATIO_MAX };
  const opened = compressed ? decompress(bytes, limits) : ({ ok: true, value: bytes } as const);
  const chunk = opened.ok ? signedChunkCodec.decode(opened.value) : undefined;
  return chunk?.ok && chunk.value.header.producer === self ? chunk.value : undefined;
}

export function transactionsIn({ body }: SignedChunk): readonly Uint8Array[] {
  const decoded = chunkBodyCodec.decode(body);
  return decoded.ok ? decoded.value.transactions : [];
}

export function forgedTransaction(
  { random, world, setting }: Liar,
  { dataBytes = 0, badSignature = false }: { readonly badSignature?: boolean; readonly dataBytes?: number },
): Uint8Array {
  return transactionBytes({
    account: random.below(1_000),
    salt: random.bytes(8),
    expiryMs: world.clock.wallMs() + LIFE_MS,
    genesisHash: setting.chain.genesisHash,
    badSignature,
    data: random.bytes(dataBytes),
  });
}

/** With the header fields of `like` and other transactions. */
export async function chunkFrame(
  { setting }: Liar,
  like: Pick<ChunkHeader, 'epoch' | 'producer' | 'sequence' | 'createdMs' | 'expiryMs' | 'acksWanted'>,
  transactions: readonly Uint8Array[],
): Promise<Frame> {
  const body = chunkBodyCodec.encode({ transactions, batches: [] });
  const header: ChunkHeader = {
    ...like,
    bodyHash: sha256(body),
    bodyBytes: body.length,
    transactionCount: transactions.length,
    batchCount: 0,
    rowCount: 0,
    units: transactions.reduce(
      (sum, bytes) => addUnits(sum, unitsOf(decodeTransaction(bytes).transaction, bytes.length)),
      NO_UNITS,
    ),
  };
  const [signature] = await setting.signer.sign([
    chunkMessage(setting.chain.genesisHash, header.epoch, chunkIdOf(header)),
  ]);
  const bytes = signedChunkCodec.encode({ header, body, signature: signature as Uint8Array });
  return frameOf('chunk', { compressed: false, bytes });
}

/**
 * Payload check: whether a block may reference its chunks (D14, D15).
 *
 * The verdict depends only on the block and its ancestors, so honest validators agree. Unknown ancestors and chunks are awaited. The first
 * fault stops all fetches: a hostile leader may name a hundred times the chunks of a block. Bad transactions are no fault (D3).
 */
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import {
  addUnits,
  BLOCK_CHUNKS_MAX,
  type Block,
  type BlockId,
  type ChunkCertificate,
  type ChunkReference,
  type Epoch,
  hexOf,
  NO_UNITS,
  payloadRootOf,
  UNIT_DIMENSIONS,
} from '@slipstream/types';
import type { Certificates } from '../chunks/certificates.ts';
import type { MissingChunks } from '../chunks/missing-chunks.ts';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { Committees } from '../epochs/committees.ts';
import type { ChunkVerdict } from '../intake/verdict.ts';
import { REFERENCE_WINDOW_MS } from '../limits.ts';
import type { ChunkReferences } from './chunk-references.ts';
import type { UncertifiedReferences } from './uncertified-references.ts';

export type PayloadVerdict =
  | { readonly type: 'valid' }
  /** `offence`: of the block's proposer. */
  | { readonly type: 'invalid'; readonly reason: string; readonly offence: 'invalid-chunk' | 'invalid-certificate' };

export interface PayloadChunk {
  readonly epoch: Epoch;
  readonly producer: number;
  /** Serialized signed chunk. */
  readonly bytes: Uint8Array;
  /** In the order of its transactions: lower-case hex, no prefix. */
  readonly ids: readonly string[];
  readonly verdicts: readonly ChunkVerdict[];
  /** In order. Undefined: not judged, since its knownAt is outside the block's window (Z7); another block's verdict may differ. */
  readonly batches: readonly { readonly batchId: Uint8Array; readonly isValid: boolean | undefined }[];
}

export interface PayloadCheck {
  check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** In order, once all are here; never resolves for an invalid payload. Rejects with the signal's reason. */
  chunksOf(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[]>;
}

interface PayloadCheckParts {
  readonly references: ChunkReferences;
  readonly missingChunks: MissingChunks;
  readonly certificates: Pick<Certificates, 'of' | 'faultOf'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'proposed' | 'trackBlock'>;
  readonly committees: Pick<Committees, 'of' | 'isOver' | 'blockLimits'>;
  /** Of genesis. */
  readonly rowsPerBlock: number;
}

const VALID: PayloadVerdict = { type: 'valid' };

export function createPayloadCheck(parts: PayloadCheckParts): PayloadCheck {
  const { references, missingChunks, certificates, uncertifiedReferences, committees } = parts;

  async function gather(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[] | string> {
    const proposer = committees.of(block.epoch)?.peerOf(block.proposer);
    const judged = new AbortController();
    // Node leaks AbortSignal.any and all that waits on it.
    const given = () => judged.abort(signal.reason);
    signal.addEventListener('abort', given);
    if (signal.aborted) given();
    const faultOf = createChunkJudge(block, parts);
    let fault: string | undefined;
    const wanted = block.payload.map(async ({ chunkId, certificate }) => {
      const hint = [proposer, ...holdersOf(certificate ?? certificates.of(hexOf(chunkId)))].filter(
        (peer): peer is PeerKey => peer !== undefined,
      );
      const chunk = await missingChunks.waitFor({ chunkId, hint, height: block.height }, judged.signal);
      fault ??= faultOf(chunk, certificate);
      if (fault !== undefined) judged.abort();
      return chunk;
    });
    try {
      const chunks = await Promise.all(wanted);
      return fault ?? chunks;
    } catch (cause) {
      if (fault !== undefined) return fault;
      throw cause;
    } finally {
      signal.removeEventListener('abort', given);
    }
  }

  function holdersOf(certificate: ChunkCertificate | undefined): readonly (PeerKey | undefined)[] {
    const committee = certificate && committees.of(certificate.epoch);
    return certificate?.signers.map((signer) => committee?.peerOf(signer)) ?? [];
  }

  async function chunksOf(block: Block, signal: AbortSignal): Promise<readonly StoredChunk[]> {
    const gathered = await gather(block, signal);
    if (typeof gathered !== 'string') return gathered;
    signal.throwIfAborted();
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
  }

  async function check(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict> {
    const form = faultOfForm(block);
    if (form !== undefined) return invalid(form);
    uncertifiedReferences.proposed(block);
    if (block.payload.some(({ certificate }) => certificate !== undefined && certificate.epoch > block.epoch)) {
      return { type: 'invalid', reason: 'a chunk certificate is of a later epoch', offence: 'invalid-certificate' };
    }
    const certificate = await faultOfCertificates(block, certificates);
    if (certificate !== undefined) return { type: 'invalid', reason: certificate, offence: 'invalid-certificate' };
    const twice = await referencedByAncestors(block, signal);
    if (twice) return invalid(`an ancestor references chunk ${hexOf(twice.chunkId)}`);
    const gathered = await gather(block, signal);
    if (typeof gathered === 'string') return invalid(gathered);
    if (references.trackBlock(blockId, block)) uncertifiedReferences.trackBlock(block);
    return VALID;
  }

  async function referencedByAncestors(block: Block, signal: AbortSignal): Promise<ChunkReference | undefined> {
    if (block.payload.length === 0) return undefined;
    for (;;) {
      const ancestry = references.ancestry(block.parentId, block.timestampMs);
      if (ancestry.missing === undefined) {
        return block.payload.find(({ chunkId }) => ancestry.references(hexOf(chunkId)));
      }
      await references.waitForBlock(ancestry.missing, signal);
    }
  }

  return { check, chunksOf };
}

function invalid(reason: string): PayloadVerdict {
  return { type: 'invalid', reason, offence: 'invalid-chunk' };
}

function faultOfForm({ payload, payloadRoot }: Block): string | undefined {
  if (payload.length > BLOCK_CHUNKS_MAX) return `${payload.length} chunks, at most ${BLOCK_CHUNKS_MAX} are allowed`;
  if (!bytesEqual(payloadRootOf(payload), payloadRoot)) return 'the payload root is of another payload';
  const distinct = new Set(payload.map(({ chunkId }) => hexOf(chunkId)));
  return distinct.size === payload.length ? undefined : 'a chunk is referenced twice';
}

function faultOfCertificates({ payload }: Block, certificates: Pick<Certificates, 'faultOf'>) {
  return certificates.faultOf(
    payload.flatMap(({ chunkId, certificate }) => (certificate ? [{ chunkId, certificate }] : [])),
  );
}

type ChunkJudge = (chunk: StoredChunk, certificate: ChunkCertificate | undefined) => string | undefined;

/** Takes the chunks one by one; returns the block's fault. */
function createChunkJudge(
  block: Block,
  { committees: { isOver, blockLimits }, rowsPerBlock }: Pick<PayloadCheckParts, 'committees' | 'rowsPerBlock'>,
): ChunkJudge {
  const { timestampMs, epoch } = block;
  const limits = blockLimits(block);
  let units = NO_UNITS;
  let rows = 0;
  return ({ header, hex }, certificate) => {
    if (header.epoch > epoch) return `chunk ${hex} is of the later epoch ${header.epoch}`;
    if (isOver(header.epoch, block)) return `chunk ${hex} is of epoch ${header.epoch}, which is over for too long`;
    if (certificate !== undefined && certificate.epoch !== header.epoch) {
      return `the certificate of chunk ${hex} is of epoch ${certificate.epoch}, not ${header.epoch}`;
    }
    if (header.expiryMs <= timestampMs) return `chunk ${hex} expired at ${header.expiryMs}`;
    if (header.expiryMs > timestampMs + REFERENCE_WINDOW_MS) return `chunk ${hex} expires only at ${header.expiryMs}`;
    rows += header.rowCount;
    if (rows > rowsPerBlock) return `its chunks hold ${rows} rows, at most ${rowsPerBlock} are allowed`;
    units = addUnits(units, header.units);
    const over = UNIT_DIMENSIONS.find((_, i) => (units[i] as number) > (limits[i] as number));
    return over && `its chunks take more ${over} units than a block may`;
  };
}

/** Sync requests and responses (sync.md). */
import { BooleanType, ByteListType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { type Block, blockFromWire, blockToWire, blockType } from './block.ts';
import {
  type Certificate,
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
} from './certificate.ts';
import {
  CHUNK_MESSAGE_BYTES_MAX,
  EPOCH_FILLERS_MAX,
  SYNC_BLOCKS_MAX,
  SYNC_CERTIFICATES_MAX,
  SYNC_RESPONSE_BYTES_MAX,
} from './limits.ts';
import { bytes32, uint8, uint53 } from './subject-wire.ts';

export const SYNC_QUERIES = [
  'block',
  'certificates',
  'finalized',
  'chunk',
  'snapshot',
  'snapshotPiece',
  'receipts',
  'segment',
  'epochs',
  'artifact',
] as const;
export type SyncQuery = (typeof SYNC_QUERIES)[number];

/**
 * block: the block `id`. certificates: of the views from..to. finalized: final blocks of the heights from..to, and the last one's
 * certificate; a range that ends with its epoch goes on with the fillers. chunk: the chunk `id`.
 *
 * State sync (sync.md, "State sync"), answered in `chunks`. snapshot: the newest manifest. snapshotPiece: of the snapshot with state
 * digest `id`, the bytes of file `from` from offset `to` on. receipts: the final blocks from..to with receipts. segment: the digest
 * preimage of the committed block `id`, then its batch checksum's input (for a node that diverged).
 *
 * epochs: records, handovers and ends of the epochs from..to (epochs/epoch-entries.ts), in the first of `chunks`.
 *
 * artifact: of the application artifact with the hash `id`, a piece from byte `from` on, in the first of `chunks`.
 */
export interface SyncRequest {
  readonly requestId: number;
  readonly query: SyncQuery;
  readonly id: Uint8Array;
  readonly from: number;
  readonly to: number;
}

export interface SyncResponse {
  readonly requestId: number;
  readonly blocks: readonly Block[];
  readonly certificates: readonly Certificate[];
  /** Serialized signed chunks. */
  readonly chunks: readonly Uint8Array[];
  /** Cut at a limit; the requester continues from the end. */
  readonly more: boolean;
}

export const SYNC_CHUNKS_MAX = 4;

const syncRequestType = new ContainerType({ requestId: uint53, query: uint8, id: bytes32, from: uint53, to: uint53 });

export const syncRequestCodec = createCodec<SyncRequest, Omit<SyncRequest, 'query'> & { readonly query: number }>(
  'sync request',
  syncRequestType,
  syncRequestType.maxSize,
  {
    toWire: (request) => ({ ...request, query: SYNC_QUERIES.indexOf(request.query) }),
    fromWire: (wire) => {
      const query = SYNC_QUERIES[wire.query];
      if (query === undefined) throw new RangeError(`unknown sync query ${wire.query}`);
      return { ...wire, query };
    },
  },
);

interface SyncResponseWire {
  readonly requestId: number;
  readonly blocks: readonly ReturnType<typeof blockToWire>[];
  readonly certificates: readonly CertificateWire[];
  readonly chunks: readonly Uint8Array[];
  readonly more: boolean;
}

export const syncResponseCodec = createCodec<SyncResponse, SyncResponseWire>(
  'sync response',
  new ContainerType({
    requestId: uint53,
    blocks: new ListCompositeType(blockType, SYNC_BLOCKS_MAX + EPOCH_FILLERS_MAX),
    certificates: new ListCompositeType(certificateType, SYNC_CERTIFICATES_MAX),
    chunks: new ListCompositeType(new ByteListType(CHUNK_MESSAGE_BYTES_MAX), SYNC_CHUNKS_MAX),
    more: new BooleanType(),
  }),
  SYNC_RESPONSE_BYTES_MAX + CHUNK_MESSAGE_BYTES_MAX,
  {
    toWire: (response) => ({
      ...response,
      blocks: response.blocks.map(blockToWire),
      certificates: response.certificates.map(certificateToWire),
    }),
    fromWire: (wire) => ({
      ...wire,
      blocks: wire.blocks.map(blockFromWire),
      certificates: wire.certificates.map(certificateFromWire),
    }),
  },
);

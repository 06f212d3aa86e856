/** Kinds of the log's records: their bytes on disk and their durability. */
import { unreachable } from '@slipstream/primitives';

/** Any other byte was written by a newer version. */
export const RECORD_KIND_BYTES = {
  'own-proposal': 1,
  'own-notarize': 2,
  'own-nullify': 3,
  'own-finalize': 4,
  'own-certify': 5,
  'own-chunk-ack': 6,
  'own-chunk-header': 7,
  certificate: 16,
  proposal: 17,
  chunk: 18,
} as const;

export type RecordKind = keyof typeof RECORD_KIND_BYTES;

/** `synced`: fdatasync before anything that depends on it leaves the node. `buffered`: a later sync covers it. */
type Durability = 'synced' | 'buffered';

/** See consensus.md, "Durability". A missing kind does not compile and an unknown one throws, so no new signed kind is unsynced by default. */
export function durabilityOf(kind: RecordKind): Durability {
  switch (kind) {
    case 'own-proposal':
    case 'own-notarize':
    case 'own-nullify':
    case 'own-finalize':
    case 'own-certify':
    case 'own-chunk-ack':
    case 'own-chunk-header':
      return 'synced';
    case 'certificate':
    case 'proposal':
    case 'chunk':
      return 'buffered';
    default:
      return unreachable(kind, 'record kind');
  }
}

const KIND_OF_BYTE: ReadonlyMap<number, RecordKind> = new Map(
  (Object.keys(RECORD_KIND_BYTES) as RecordKind[]).map((kind) => [RECORD_KIND_BYTES[kind], kind]),
);

export function kindOfByte(byte: number): RecordKind | undefined {
  return KIND_OF_BYTE.get(byte);
}

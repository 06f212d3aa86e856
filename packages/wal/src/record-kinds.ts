/** Kinds of the log's records: their bytes on disk and their durability. */

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
  epoch: 19,
} as const;

export type RecordKind = keyof typeof RECORD_KIND_BYTES;

/**
 * What the writer does with a record.
 *
 * - `synced`: written and synced at once. It binds this node: its statement leaves only as `Durable`.
 * - `written`: passed to the operating system at once, synced with a later record or within 2 s. It is large: what a vote has to write with
 *   its sync stays small.
 * - `buffered`: written and synced with a later record, or within 2 s.
 */
type Durability = 'synced' | 'written' | 'buffered';

/** consensus.md, "Durability". A kind without a row does not compile. */
const DURABILITIES = {
  'own-proposal': 'synced',
  'own-notarize': 'synced',
  'own-nullify': 'synced',
  'own-finalize': 'synced',
  'own-certify': 'synced',
  'own-chunk-ack': 'synced',
  'own-chunk-header': 'synced',
  certificate: 'buffered',
  proposal: 'buffered',
  chunk: 'written',
  epoch: 'buffered',
} as const satisfies Readonly<Record<RecordKind, Durability>>;

/** Its append returns a proof. */
export type SyncedKind = {
  [Kind in RecordKind]: (typeof DURABILITIES)[Kind] extends 'synced' ? Kind : never;
}[RecordKind];

/** Its append returns none. */
export type UnsyncedKind = Exclude<RecordKind, SyncedKind>;

/** Throws for an unknown kind: no record is unsynced by default. */
export function durabilityOf(kind: RecordKind): Durability {
  const durability: Durability | undefined = DURABILITIES[kind];
  if (durability === undefined) throw new TypeError(`unknown record kind: ${String(kind)}`);
  return durability;
}

const KIND_OF_BYTE: ReadonlyMap<number, RecordKind> = new Map(
  (Object.keys(RECORD_KIND_BYTES) as RecordKind[]).map((kind) => [RECORD_KIND_BYTES[kind], kind]),
);

export function kindOfByte(byte: number): RecordKind | undefined {
  return KIND_OF_BYTE.get(byte);
}

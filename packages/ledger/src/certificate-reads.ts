import {
  type Block,
  blockCodec,
  type Certificate,
  certificateCodec,
  type Epoch,
  type Finalization,
  type StateCertificate,
  SUBJECT_KINDS,
  SYNC_BLOCKS_MAX,
  SYNC_CERTIFICATES_MAX,
  SYNC_RESPONSE_BYTES_MAX,
} from '@slipstream/types';
import { blocksBetween } from './chain-reads.ts';
import { epochEnd } from './epoch-reads.ts';
import { keyOf, type Table, tableEnd, uint32be, uint64be } from './keys.ts';
import { corrupt, decodeOr, type SealedStore } from './sealed-store.ts';

export interface HeightCertificates {
  readonly stateCertificate: StateCertificate | undefined;
  readonly finalization: Finalization | undefined;
}

/**
 * Consecutive blocks of one epoch, ascending, after its boundary the fillers that make it final. The first certificate is of the last block;
 * after a finalization the newest state certificate among them follows. Both lists are empty when no certificate covers the blocks.
 */
export interface FinalizedRange {
  readonly blocks: readonly Block[];
  readonly certificates: readonly Certificate[];
  /** Higher blocks are here: ask again from the end. */
  readonly more: boolean;
}

type ByHeight = Extract<Table, 'stateCertificate' | 'finalization'>;

async function certificateIn(
  store: SealedStore,
  table: ByHeight,
  from: number,
  to: number,
  reverse: boolean,
): Promise<{ readonly height: number; readonly certificate: Certificate } | undefined> {
  const end = to >= Number.MAX_SAFE_INTEGER ? tableEnd(table) : keyOf(table, uint64be(to + 1));
  const [entry] = await store.range({ from: keyOf(table, uint64be(from)), to: end, limit: 1, reverse });
  if (entry === undefined) return undefined;
  const view = new DataView(entry.key.buffer, entry.key.byteOffset + 1, 8);
  return { height: Number(view.getBigUint64(0)), certificate: decodeOr(entry.key, certificateCodec, entry.value) };
}

export async function certificatesAt(store: SealedStore, height: number): Promise<HeightCertificates> {
  const [state, final] = await Promise.all([
    store.read(keyOf('stateCertificate', uint64be(height)), certificateCodec),
    store.read(keyOf('finalization', uint64be(height)), certificateCodec),
  ]);
  return {
    stateCertificate: state as StateCertificate | undefined,
    finalization: final as Finalization | undefined,
  };
}

/** The state certificate of the lowest height from `height` on. */
export async function stateCertificateFrom(store: SealedStore, height: number): Promise<StateCertificate | undefined> {
  const found = await certificateIn(store, 'stateCertificate', height, Number.MAX_SAFE_INTEGER, false);
  if (found === undefined) return undefined;
  const { subject } = found.certificate;
  if (subject.kind !== 'certify' || subject.height !== found.height) {
    throw corrupt(keyOf('stateCertificate', uint64be(found.height)), 'a certificate of another height');
  }
  return found.certificate as StateCertificate;
}

/** The state certificate of the greatest height up to `height`. */
export async function stateCertificateUpTo(store: SealedStore, height: number): Promise<StateCertificate | undefined> {
  const found = await certificateIn(store, 'stateCertificate', 0, height, true);
  return found?.certificate as StateCertificate | undefined;
}

/** Ascending, at most SYNC_CERTIFICATES_MAX. */
export async function certificatesByView(
  store: SealedStore,
  epoch: Epoch,
  from: number,
  to: number,
): Promise<readonly Certificate[]> {
  const entries = await store.range({
    from: keyOf('view', uint32be(epoch), uint64be(from)),
    to: keyOf('view', uint32be(epoch), uint64be(Math.min(to, Number.MAX_SAFE_INTEGER - 1) + 1)),
    limit: SYNC_CERTIFICATES_MAX,
  });
  return entries.map(({ key, value }) => decodeOr(key, certificateCodec, value));
}

export function viewKey(certificate: Certificate): Uint8Array {
  const { kind, epoch, view } = certificate.subject;
  return keyOf('view', uint32be(epoch), uint64be(view), new Uint8Array([SUBJECT_KINDS.indexOf(kind)]));
}

/** The range is cut to the protocol's limits, to its epoch, and to the last block with a certificate. */
export async function finalizedRange(store: SealedStore, from: number, to: number): Promise<FinalizedRange> {
  const limit = Math.min(to - from + 1, SYNC_BLOCKS_MAX);
  const nothing = { blocks: [], certificates: [], more: false };
  if (limit <= 0) return nothing;
  const found = await blocksBetween(store, from, from + limit, limit);
  const fitting = ofOneEpoch(withinBytes(found.map(({ block }) => block)));
  const first = fitting[0];
  const last = fitting[fitting.length - 1];
  if (first === undefined || last === undefined || first.height !== from) return nothing;
  const proof = await proofOfRange(store, from, last);
  if (proof === undefined) return { ...nothing, more: true };
  const above = await blocksBetween(store, proof.height + 1, proof.height + 2, 1);
  return {
    blocks: [...fitting.slice(0, proof.height - from + 1), ...proof.fillers],
    certificates: proof.certificates,
    more: proof.height < to && above.length > 0,
  };
}

interface RangeProof {
  /** Of the last proven block. */
  readonly height: number;
  readonly fillers: readonly Block[];
  readonly certificates: readonly Certificate[];
}

async function proofOfRange(store: SealedStore, from: number, last: Block): Promise<RangeProof | undefined> {
  const [final, state] = await Promise.all([
    certificateIn(store, 'finalization', from, last.height, true),
    certificateIn(store, 'stateCertificate', from, last.height, true),
  ]);
  // A state certificate proves finality too, and a node that catches up cannot commit without one.
  const states = state ? [state.certificate] : [];
  if (state?.height === last.height) return { height: last.height, fillers: [], certificates: states };
  const end = last.next === undefined ? undefined : await epochEnd(store, last.epoch);
  if (end) return { height: last.height, fillers: end.fillers, certificates: [end.certificate, ...states] };
  const height = Math.max(final?.height ?? -1, state?.height ?? -1);
  if (height < 0) return undefined;
  const isState = state?.height === height;
  return { height, fillers: [], certificates: isState || !final ? states : [final.certificate, ...states] };
}

/** Up to the first block that ends its epoch: those above need another committee. */
function ofOneEpoch(blocks: readonly Block[]): readonly Block[] {
  const boundary = blocks.findIndex(({ next }) => next !== undefined);
  return boundary < 0 ? blocks : blocks.slice(0, boundary + 1);
}

function withinBytes(blocks: readonly Block[]): readonly Block[] {
  let bytes = 0;
  const end = blocks.findIndex((block) => {
    bytes += blockCodec.encode(block).length;
    return bytes > SYNC_RESPONSE_BYTES_MAX;
  });
  return end < 0 ? blocks : blocks.slice(0, end);
}

/** Handovers: a light client, or a node that joins, follows them from the genesis committee to the newest (types, epochs/handover.ts). */
import { bytesEqual } from '@slipstream/primitives';
import {
  checkHandoverStructure,
  committeeOfRecord,
  type DigestPreimage,
  type Epoch,
  type EpochRecord,
  epoch as epochOf,
  type GenesisHash,
  type Handover,
  handoverCodec,
  handoverOf,
  recordHashOf,
  type StateCertificate,
} from '@slipstream/types';
import { preimageAt } from './chain-reads.ts';
import { recordOf } from './epoch-reads.ts';
import { keyOf, readUint32be, uint32be } from './keys.ts';
import { decodeOr, type SealedStore } from './sealed-store.ts';

export function handoverAt(store: SealedStore, epoch: Epoch): Promise<Handover | undefined> {
  return store.read(keyOf('handover', uint32be(epoch)), handoverCodec);
}

/** Consecutive, from `from` on. */
export async function handoversFrom(store: SealedStore, from: Epoch, limit: number): Promise<readonly Handover[]> {
  const bounds = { from: keyOf('handover', uint32be(from)), to: keyOf('handover', uint32be(from + limit)), limit };
  const entries = limit > 0 ? await store.range(bounds) : [];
  const missing = entries.findIndex(({ key }, at) => readUint32be(key, 1) !== from + at);
  const found = missing === -1 ? entries : entries.slice(0, missing);
  return found.map(({ key, value }) => decodeOr(key, handoverCodec, value));
}

/** Not in the store yet. */
interface Uncommitted {
  readonly next?: EpochRecord | undefined;
  readonly preimages?: readonly DigestPreimage[];
}

/** Undefined: the certificate's digest names no record, or another than the one here. */
export async function deriveHandover(
  store: SealedStore,
  genesisHash: GenesisHash,
  certificate: StateCertificate,
  uncommitted: Uncommitted = {},
): Promise<Handover | undefined> {
  const { epoch, height } = certificate.subject;
  const own = uncommitted.preimages?.find((preimage) => preimage.height === height);
  const preimage = own ?? (await preimageAt(store, height));
  const record = await recordOf(store, epoch);
  const next = uncommitted.next ?? (await recordOf(store, epochOf(epoch + 1)));
  if (preimage === undefined || record === undefined || next === undefined) return undefined;
  if (!bytesEqual(preimage.next, recordHashOf(genesisHash, next))) return undefined;
  const handover = handoverOf(record, next, { preimage, certificate });
  return checkHandoverStructure(handover, genesisHash, committeeOfRecord(record)).ok ? handover : undefined;
}

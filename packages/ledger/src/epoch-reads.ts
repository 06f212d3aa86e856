/** Records of epochs and their ends. Pruning leaves them, because a node may have to follow all committees since genesis. */
import { bytesEqual, ContainerType, createCodec } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockCodec,
  bytes32,
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
  type Epoch,
  type EpochEnd,
  type EpochRecord,
  epoch as epochOf,
  epochRecordCodec,
} from '@slipstream/types';
import { blockById, readTip } from './chain-reads.ts';
import { keyOf, uint32be } from './keys.ts';
import { corrupt, type SealedStore } from './sealed-store.ts';

/** Its block is in table `block`, its fillers in `filler`. */
type StoredEnd = Pick<EpochEnd, 'blockId' | 'certificate'>;

interface StoredEndWire {
  readonly blockId: Uint8Array;
  readonly certificate: CertificateWire;
}

const storedEndType = new ContainerType({ blockId: bytes32, certificate: certificateType });

export const storedEndCodec = createCodec<StoredEnd, StoredEndWire>(
  'stored epoch end',
  storedEndType,
  storedEndType.maxSize,
  {
    toWire: ({ blockId, certificate }) => ({ blockId, certificate: certificateToWire(certificate) }),
    fromWire: ({ blockId, certificate }) => ({
      blockId: blockId as BlockId,
      certificate: certificateFromWire(certificate) as EpochEnd['certificate'],
    }),
  },
);

export async function latestEpoch(store: SealedStore): Promise<Epoch | undefined> {
  const tip = await readTip(store);
  const found = tip && (await blockById(store, tip.blockId));
  if (found === undefined) return undefined;
  const { epoch, next } = found.block;
  return next === undefined ? epoch : epochOf(epoch + 1);
}

export function recordOf(store: SealedStore, epoch: Epoch): Promise<EpochRecord | undefined> {
  return store.read(keyOf('epoch', uint32be(epoch)), epochRecordCodec);
}

export function fillerById(store: SealedStore, id: BlockId): Promise<Block | undefined> {
  return store.read(keyOf('filler', id), blockCodec);
}

/** Reads one filler after the other, from the certified one down: nearly always there is none. */
export async function epochEnd(store: SealedStore, epoch: Epoch): Promise<EpochEnd | undefined> {
  const stored = await store.read(keyOf('epochEnd', uint32be(epoch + 1)), storedEndCodec);
  const boundary = stored && (await blockById(store, stored.blockId));
  if (boundary === undefined) return undefined;
  const fillers: Block[] = [];
  let id = stored?.certificate.subject.blockId as BlockId;
  while (!bytesEqual(id, boundary.blockId)) {
    const filler = await fillerById(store, id);
    if (filler === undefined) throw corrupt(keyOf('filler', id), 'a filler that is missing');
    fillers.unshift(filler);
    id = filler.parentId;
  }
  return { ...boundary, fillers, certificate: stored?.certificate as EpochEnd['certificate'] };
}

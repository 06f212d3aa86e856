/**
 * End of an epoch: its boundary block, and what makes that final (consensus.md, rule 10).
 *
 *   boundary <-- filler <-- filler <-- certificate of the last one
 */
import { bytesEqual, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import { type Block, blockFromWire, blockIdOf, blockToWire, blockType } from '../block.ts';
import {
  CERTIFICATE_BYTES_MAX,
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
  type Finalization,
  type StateCertificate,
} from '../certificate.ts';
import type { BlockId } from '../ids.ts';
import { BLOCK_BYTES_MAX, EPOCH_FILLERS_MAX } from '../limits.ts';

/** The boundary of an epoch, and what made it final. */
export interface EpochEnd {
  readonly blockId: BlockId;
  readonly block: Block;
  /** Above the block, up to the one that the certificate is of. */
  readonly fillers: readonly Block[];
  readonly certificate: Finalization | StateCertificate;
}

interface EpochEndWire {
  readonly block: ReturnType<typeof blockToWire>;
  readonly fillers: readonly ReturnType<typeof blockToWire>[];
  readonly certificate: CertificateWire;
}

const endType = new ContainerType({
  block: blockType,
  fillers: new ListCompositeType(blockType, EPOCH_FILLERS_MAX),
  certificate: certificateType,
});

/** Without payload, with its offset. */
const FILLER_BYTES_MAX = 256;
const END_BYTES_MAX = BLOCK_BYTES_MAX + EPOCH_FILLERS_MAX * FILLER_BYTES_MAX + CERTIFICATE_BYTES_MAX + 64;

/** Decodes sound ends only; the certificate's signature is unchecked. */
export const epochEndCodec = createCodec<EpochEnd, EpochEndWire>('epoch end', endType, END_BYTES_MAX, {
  toWire: ({ block, fillers, certificate }) => ({
    block: blockToWire(block),
    fillers: fillers.map(blockToWire),
    certificate: certificateToWire(certificate),
  }),
  fromWire(wire) {
    const block = blockFromWire(wire.block);
    const certificate = certificateFromWire(wire.certificate) as EpochEnd['certificate'];
    const end = { blockId: blockIdOf(block), block, fillers: wire.fillers.map(blockFromWire), certificate };
    const fault = epochEndFault(end);
    if (fault !== undefined) throw new RangeError(fault);
    return end;
  },
});

/** Undefined: the certificate, if it holds, proves that the block ended its epoch. */
export function epochEndFault({ blockId, block, fillers, certificate }: EpochEnd): string | undefined {
  if (block.next === undefined) return 'its block names no record';
  let [lastId, last] = [blockId, block];
  for (const filler of fillers) {
    if (!isFillerOn(filler, last, lastId)) return `its filler of view ${filler.view} does not follow`;
    [lastId, last] = [blockIdOf(filler), filler];
  }
  const { subject } = certificate;
  const isFinal = subject.kind === 'finalize' || (subject.kind === 'certify' && subject.height === last.height);
  const isOfLast = isFinal && subject.view === last.view && bytesEqual(subject.blockId, lastId);
  return isOfLast && subject.epoch === block.epoch ? undefined : 'its certificate is not of its last block';
}

function isFillerOn({ next, ...filler }: Block, parent: Block, parentId: BlockId): boolean {
  return (
    filler.epoch === parent.epoch &&
    filler.height === parent.height + 1 &&
    filler.parentView === parent.view &&
    filler.view > parent.view &&
    filler.payload.length === 0 &&
    bytesEqual(filler.parentId, parentId) &&
    next !== undefined &&
    bytesEqual(next, parent.next as Uint8Array)
  );
}

/** How an epoch began, as the log holds it: its record, and the end of the epoch before. */
import { ByteListType, type Codec, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import {
  type Block,
  blockFromWire,
  blockIdOf,
  blockToWire,
  blockType,
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
  type EpochEnd,
  epochRecordCodec,
  type RecordHash,
  uint53,
} from '@slipstream/types';
import type { BegunEpoch } from './events.ts';

/** Each costs a view without a final block, and takes some 150 bytes: a log record holds 4 MiB. */
const FILLERS_MAX = 8_192;

type BlockWire = ReturnType<typeof blockToWire>;

interface BegunWire {
  readonly sealHeight: number;
  readonly record: Uint8Array;
  readonly boundary: BlockWire;
  readonly fillers: readonly BlockWire[];
  readonly certificate: CertificateWire;
}

const begunType = new ContainerType({
  sealHeight: uint53,
  record: new ByteListType(epochRecordCodec.bytesMax),
  boundary: blockType,
  fillers: new ListCompositeType(blockType, FILLERS_MAX),
  certificate: certificateType,
});

export const begunEpochCodec: Codec<BegunEpoch> = createCodec<BegunEpoch, BegunWire>(
  'begun epoch',
  begunType,
  begunType.maxSize,
  {
    toWire: ({ seal, end }) => ({
      sealHeight: seal.height,
      record: epochRecordCodec.encode(seal.record),
      boundary: blockToWire(end.block),
      fillers: end.fillers.map(blockToWire),
      certificate: certificateToWire(end.certificate),
    }),
    fromWire({ sealHeight, record, boundary, fillers, certificate }) {
      const decoded = epochRecordCodec.decode(record);
      if (!decoded.ok) throw new Error(decoded.error.message);
      const block = blockFromWire(boundary);
      return {
        seal: { recordHash: namedBy(block), height: sealHeight, record: decoded.value },
        end: {
          blockId: blockIdOf(block),
          block,
          fillers: fillers.map(blockFromWire),
          certificate: endingCertificate(certificate),
        },
      };
    },
  },
);

function namedBy({ next }: Block): RecordHash {
  if (next === undefined) throw new Error('its block names no record');
  return next;
}

function endingCertificate(wire: CertificateWire): EpochEnd['certificate'] {
  const certificate = certificateFromWire(wire);
  const { kind } = certificate.subject;
  if (kind !== 'finalize' && kind !== 'certify') throw new Error(`a ${kind} certificate makes no block final`);
  return certificate as EpochEnd['certificate'];
}

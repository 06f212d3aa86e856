/** The writes of each ledger operation, as data. */
import type { KeyValueOperation } from '@slipstream/ports';
import { assert, bytesEqual } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  blockCodec,
  blockIdOf,
  type Certificate,
  certificateCodec,
  type DigestPreimage,
  digestPreimageCodec,
  EPOCH_FILLERS_MAX,
  type EpochEnd,
  type EpochRecord,
  epochEndFault,
  epochRecordCodec,
  type Finalization,
  GENESIS_EPOCH,
  type GenesisHash,
  type Handover,
  handoverCodec,
  hexOf,
  recordHashOf,
  type StateCertificate,
  stateDigestOf,
} from '@slipstream/types';
import { viewKey } from './certificate-reads.ts';
import { storedEndCodec } from './epoch-reads.ts';
import { keyOf, uint32be, uint64be } from './keys.ts';
import { placeKey } from './places.ts';
import { bodyKey, putSealed } from './sealed-store.ts';

export interface NamedBlock {
  readonly blockId: BlockId;
  readonly block: Block;
}

export interface ExecutedBlock extends NamedBlock {
  /** Serialized, in order: the leaves under the receipts root. */
  readonly receipts: readonly Uint8Array[];
  /** By receipt, as createAccountLists packs them. */
  readonly accounts: Uint8Array;
  /** Records of the distilled batches that ran, in order; each begins with the batch's id. */
  readonly batches?: readonly Uint8Array[];
}

export interface CommitSeal {
  /**
   * The block's own preimage, then those up to the certified block, without those of earlier commits. A proof needs all, also before the blocks
   * between are committed.
   */
  readonly preimages: readonly DigestPreimage[];
  /** Of this height or above. Undefined for genesis, and when an earlier commit brought it. */
  readonly certificate: StateCertificate | undefined;
  /** Of exactly this block. */
  readonly finalization: Finalization | undefined;
  /** With genesis, and with the last block of an epoch. */
  readonly newEpoch?: NewEpoch | undefined;
}

interface NewEpoch {
  readonly record: EpochRecord;
  /** Of the epoch before. Undefined for genesis, and where a taken-over state came without it. */
  readonly end: EpochEnd | undefined;
}

function remove(key: Uint8Array): KeyValueOperation {
  return { type: 'delete', key };
}

export function forgetOperations(blockId: BlockId): readonly KeyValueOperation[] {
  return [remove(keyOf('block', blockId)), remove(bodyKey(blockId)), remove(placeKey(blockId))];
}

export function commitOperations({ blockId, block }: NamedBlock, seal: CommitSeal): readonly KeyValueOperation[] {
  const operations: KeyValueOperation[] = [
    putSealed(keyOf('block', blockId), blockCodec.encode(block)),
    putSealed(keyOf('height', uint64be(block.height)), blockId),
    ...seal.preimages.map((preimage) =>
      putSealed(keyOf('preimage', uint64be(preimage.height)), digestPreimageCodec.encode(preimage)),
    ),
  ];
  if (seal.certificate) operations.push(...certificateOperations(seal.certificate));
  if (seal.finalization) {
    const key = keyOf('finalization', uint64be(block.height));
    operations.push(putSealed(key, certificateCodec.encode(seal.finalization)));
    operations.push(...certificateOperations(seal.finalization));
  }
  if (seal.newEpoch) operations.push(...epochOperations(seal.newEpoch));
  return operations;
}

/** An end with too many fillers is proven by a state certificate only. */
export function epochOperations({ record, end }: NewEpoch): readonly KeyValueOperation[] {
  const at = uint32be(record.epoch);
  const operations = [putSealed(keyOf('epoch', at), epochRecordCodec.encode(record))];
  if (end === undefined || end.fillers.length > EPOCH_FILLERS_MAX) return operations;
  for (const filler of end.fillers) {
    operations.push(putSealed(keyOf('filler', blockIdOf(filler)), blockCodec.encode(filler)));
  }
  operations.push(putSealed(keyOf('epochEnd', at), storedEndCodec.encode(end)));
  return operations;
}

/** Stores it by view, and a state certificate also by height. */
export function certificateOperations(certificate: Certificate): readonly KeyValueOperation[] {
  const bytes = certificateCodec.encode(certificate);
  const byView = putSealed(viewKey(certificate), bytes);
  const { subject } = certificate;
  if (subject.kind !== 'certify') return [byView];
  return [byView, putSealed(keyOf('stateCertificate', uint64be(subject.height)), bytes)];
}

export function handoverOperation(handover: Handover): KeyValueOperation {
  return putSealed(keyOf('handover', uint32be(handover.certificate.subject.epoch)), handoverCodec.encode(handover));
}

/** The preimages must chain up to the certified digest. */
export function assertSeal(genesisHash: GenesisHash, { blockId, block }: NamedBlock, seal: CommitSeal): void {
  const [own] = seal.preimages;
  assert(own?.height === block.height && bytesEqual(own.blockId, blockId), 'a seal begins with the block itself');
  let digest = stateDigestOf(genesisHash, own);
  let last = own;
  for (const next of seal.preimages.slice(1)) {
    assert(next.height === last.height + 1 && bytesEqual(next.parentDigest, digest), 'preimages chain');
    digest = stateDigestOf(genesisHash, next);
    last = next;
  }
  const certified = seal.certificate?.subject;
  if (certified) {
    assert(hexOf(certified.stateDigest) === hexOf(digest), 'the certificate of a seal is for its last preimage');
    assert(certified.height === last.height, 'the certificate of a seal is for the height of its last preimage');
  }
  const final = seal.finalization?.subject;
  if (final) assert(bytesEqual(final.blockId, blockId), 'the finalization of a seal is of the block itself');
  assertNewEpoch(genesisHash, { blockId, block }, seal.newEpoch);
}

/** E1: an epoch has one end, and the block names the record of the next. */
function assertNewEpoch(genesisHash: GenesisHash, { blockId, block }: NamedBlock, begun: NewEpoch | undefined): void {
  if (block.height === 0) {
    const isFirst = begun === undefined || (begun.record.epoch === GENESIS_EPOCH && begun.end === undefined);
    return assert(isFirst, 'genesis begins epoch 0');
  }
  assert((begun !== undefined) === (block.next !== undefined), 'a record is committed with the block that names it');
  if (begun === undefined || block.next === undefined) return;
  const { record, end } = begun;
  const isNamed = bytesEqual(recordHashOf(genesisHash, record), block.next);
  assert(isNamed && record.epoch === block.epoch + 1, 'the last block of an epoch names the record of the next');
  if (end === undefined) return;
  assert(bytesEqual(end.blockId, blockId), 'the end of an epoch is its last block');
  const fault = epochEndFault(end);
  assert(fault === undefined, `the end of an epoch is proven: ${fault}`);
}

/**
 * P4: finds a key for which this node's result differs from the quorum's. Believes only what the certificate proves.
 *
 *   certified digest --> preimage of a peer that hashes to it --> its batch checksum --> segment with that checksum
 *        \--parent's digest differs too--> the parent, and so on down          \--compared with the own segment--> first key that differs
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import { bytesEqual, concatBytes, to0x } from '@slipstream/primitives';
import { firstDifference, readSegment, type SegmentContents, type SegmentDifference } from '@slipstream/state';
import {
  asId,
  type BlockId,
  type DigestPreimage,
  digestPreimageCodec,
  type GenesisHash,
  type StateCertificate,
  type StateDigest,
  type SyncResponse,
  stateDigestOf,
} from '@slipstream/types';
import type { BlockAccount } from '../executor/executor.ts';

export type AskPeer = (peer: PeerKey, blockId: BlockId) => Promise<Pick<SyncResponse, 'chunks'> | undefined>;

interface DivergenceComponents {
  readonly clock: Clock;
  readonly genesisHash: GenesisHash;
  readonly peers: () => readonly PeerKey[];
  readonly ask: AskPeer;
  readonly own: (blockId: BlockId) => Promise<BlockAccount | undefined>;
}

/** Resolves to a text for the operator, within a few seconds. */
export type DivergenceReport = (certified: StateCertificate) => Promise<string>;

const ASK_MS = 5000;
const ASK_AGAIN_MS = 200;
/** Blocks that are compared, from the certified one down, because an ancestor's digest may already differ. */
const ANCESTORS_MAX = 64;

interface PeerAccount {
  readonly preimage: DigestPreimage;
  readonly contents: SegmentContents;
}

export function createDivergenceReport(components: DivergenceComponents): DivergenceReport {
  const { clock, genesisHash, peers, ask, own } = components;

  async function shownBy(peer: PeerKey, blockId: BlockId, digest: StateDigest): Promise<PeerAccount | undefined> {
    const [head, ...parts] = (await ask(peer, blockId))?.chunks ?? [];
    const preimage = head && digestPreimageCodec.decode(head);
    if (!preimage?.ok || !bytesEqual(stateDigestOf(genesisHash, preimage.value), digest)) return undefined;
    const contents = readSegment(concatBytes(...parts));
    if (!contents || !bytesEqual(contents.checksum, preimage.value.batchChecksum)) return undefined;
    return { preimage: preimage.value, contents };
  }

  async function shown(blockId: BlockId, digest: StateDigest, untilMs: number): Promise<PeerAccount | undefined> {
    for (;;) {
      for (const peer of peers()) {
        const found = await shownBy(peer, blockId, digest);
        if (found) return found;
      }
      if (clock.monotonicMs() >= untilMs) return undefined;
      await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS, resolve));
    }
  }

  return async ({ subject }) => {
    const untilMs = clock.monotonicMs() + ASK_MS;
    let blockId = subject.blockId;
    let digest = subject.stateDigest;
    for (let depth = 0; depth < ANCESTORS_MAX; depth++) {
      const [here, there] = await Promise.all([own(blockId), shown(blockId, digest, untilMs)]);
      if (!here) return `what this node computed for block ${to0x(blockId)} is pruned`;
      if (!there) return `no peer showed what the quorum computed for block ${to0x(blockId)} in time`;
      if (bytesEqual(here.preimage.parentDigest, there.preimage.parentDigest)) return differenceOf(here, there);
      blockId = here.parentId;
      digest = asId<StateDigest>(there.preimage.parentDigest);
    }
    return `more than ${ANCESTORS_MAX} blocks differ`;
  };
}

function differenceOf({ preimage, segment }: BlockAccount, there: PeerAccount): string {
  const where = `at height ${preimage.height}, block ${to0x(preimage.blockId)},`;
  const here = readSegment(segment);
  const first = here && firstDifference(here, there.contents);
  if (first) return `the first key that differs, ${where} is ${to0x(first.key)}: ${valuesOf(first)}`;
  if (!bytesEqual(preimage.batchChecksum, there.preimage.batchChecksum)) {
    return `${where} the same keys have the same values, and the files that they were written to differ`;
  }
  if (!bytesEqual(preimage.stateRoot, there.preimage.stateRoot)) {
    return `${where} the same keys have the same values, and the roots over the whole state differ: an earlier entry, or this node's memory, is wrong`;
  }
  return (
    `${where} state is the same and receipts differ: ${preimage.transactionCount} here, ` +
    `${there.preimage.transactionCount} certified`
  );
}

function valuesOf({ own, other }: SegmentDifference): string {
  return `${valueText(own)} here, ${valueText(other)} certified`;
}

const VALUE_BYTES_SHOWN = 64;

function valueText(value: SegmentDifference['own']): string {
  if (value === 'none') return 'not written';
  if (value === undefined) return 'deleted';
  const rest = value.length - VALUE_BYTES_SHOWN;
  return to0x(value.subarray(0, VALUE_BYTES_SHOWN)) + (rest > 0 ? ` and ${rest} bytes more` : '');
}

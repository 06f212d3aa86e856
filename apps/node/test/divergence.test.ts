/** Peers that answer, lie, or do not answer. */
import type { PeerKey } from '@slipstream/ports';
import { toHex, utf8 } from '@slipstream/primitives';
import {
  asId,
  type BlockId,
  type DigestPreimage,
  digestPreimageCodec,
  GENESIS_EPOCH,
  type GenesisHash,
  height,
  NO_RECORD,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
  view,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { commitBatch, newDisk, open, put } from '../../../packages/state/test/builders.ts';
import { createDivergenceReport } from '../src/assembly/divergence.ts';

const GENESIS_HASH = asId<GenesisHash>(new Uint8Array(32).fill(7));
const PEER = 'peer' as PeerKey;
const idOf = (block: number) => asId<BlockId>(new Uint8Array(32).fill(block));

interface Shown {
  readonly preimage: DigestPreimage;
  readonly segment: Uint8Array;
  readonly digest: StateDigest;
}

/** Two blocks of one key each, and a node's answers about them. */
async function chainOf(values: readonly [string, string]): Promise<ReadonlyMap<string, Shown>> {
  const { store } = await open(newDisk());
  const shown = new Map<string, Shown>();
  let parentDigest = asId<StateDigest>(new Uint8Array(32));
  for (const [i, value] of values.entries()) {
    const blockId = idOf(i + 1);
    const batchChecksum = await commitBatch(store, toHex(blockId), [put('same', 'x'), put(`key ${i + 1}`, value)]);
    const preimage: DigestPreimage = {
      height: height(i + 1),
      blockId,
      parentDigest,
      batchChecksum,
      stateRoot: new Uint8Array(32),
      receiptsRoot: new Uint8Array(32),
      transactionCount: 0,
      next: NO_RECORD,
    };
    parentDigest = stateDigestOf(GENESIS_HASH, preimage);
    const segment = (await store.segment(toHex(blockId))) as Uint8Array;
    shown.set(toHex(blockId), { preimage, segment, digest: parentDigest });
  }
  return shown;
}

/** Time passes with each wait. */
function clock() {
  let now = 0;
  return {
    wallMs: () => now,
    monotonicMs: () => now,
    after(delayMs: number, action: () => void) {
      now += delayMs;
      setImmediate(action);
      return () => {};
    },
  };
}

async function report(
  own: readonly [string, string],
  certified: readonly [string, string],
  change: (chunks: readonly Uint8Array[]) => readonly Uint8Array[] = (chunks) => chunks,
) {
  const [here, there] = [await chainOf(own), await chainOf(certified)];
  const explain = createDivergenceReport({
    clock: clock(),
    genesisHash: GENESIS_HASH,
    peers: () => [PEER],
    async ask(_, blockId) {
      const found = there.get(toHex(blockId));
      return { chunks: found ? change([digestPreimageCodec.encode(found.preimage), found.segment]) : [] };
    },
    async own(blockId) {
      const found = here.get(toHex(blockId));
      return found && { ...found, parentId: idOf((blockId[0] as number) - 1) };
    },
  });
  const subject = {
    kind: 'certify',
    epoch: GENESIS_EPOCH,
    view: view(2),
    height: height(2),
    blockId: idOf(2),
  } as const;
  const stateDigest = there.get(toHex(idOf(2)))?.digest as StateDigest;
  return explain({
    subject: { ...subject, stateDigest },
    signers: [],
    aggregate: new Uint8Array(),
  } as StateCertificate);
}

describe('a divergence report', () => {
  it('names the first key that differs, and both values', async () => {
    const text = await report(['a', 'mine'], ['a', 'theirs']);
    expect(text).toContain(`at height 2, block 0x${'02'.repeat(32)}, is 0x${toHex(utf8('key 2'))}`);
    expect(text).toContain(`0x${toHex(utf8('mine'))} here, 0x${toHex(utf8('theirs'))} certified`);
  });

  it('goes back to the ancestor where it began', async () => {
    const text = await report(['mine', 'b'], ['theirs', 'b']);
    expect(text).toContain(`at height 1, block 0x${'01'.repeat(32)}, is 0x${toHex(utf8('key 1'))}`);
  });

  it('trusts no peer whose bytes the certificate does not prove', async () => {
    const lie = (chunks: readonly Uint8Array[]) => [
      chunks[0] as Uint8Array,
      (chunks[1] as Uint8Array).slice().fill(0, 100, 104),
    ];
    expect(await report(['a', 'mine'], ['a', 'theirs'], lie)).toContain('no peer showed');
    expect(await report(['a', 'mine'], ['a', 'theirs'], () => [])).toContain('no peer showed');
  });
});

/** Certificates that come before their blocks: the lowest are retained, which are needed next, and never more than a bounded number. */
import { asId, type BlockId, type Hex, height, hexOf, type StateCertificate } from '@slipstream/types';
import { expect, it } from 'vitest';
import type { BlockEntry } from '../src/block-entry.ts';
import { createBlockGraph } from '../src/block-graph.ts';
import { createCertification } from '../src/certification.ts';

const EARLY_MAX = 1_024;

function certificateAt(at: number): StateCertificate {
  const blockId = asId<BlockId>(new Uint8Array(32));
  new DataView(blockId.buffer).setUint32(0, at);
  return { subject: { blockId, height: height(at) } } as StateCertificate;
}

function createNode() {
  const certification = createCertification({ graph: createBlockGraph(), complete: () => {}, onDiverged: () => {} });
  return {
    certification,
    /** The certificate that the block of this height finds as it comes. */
    foundAt(at: number): StateCertificate | undefined {
      const id: Hex<BlockId> = hexOf(certificateAt(at).subject.blockId);
      const entry = { id } as BlockEntry;
      certification.added(entry);
      return entry.certificate;
    },
  };
}

it('above the maximum number of certificates the highest are evicted, in whatever order they arrive', () => {
  for (const isRising of [true, false]) {
    const { certification, foundAt } = createNode();
    const heights = Array.from({ length: EARLY_MAX + 10 }, (_, i) => (isRising ? i : EARLY_MAX + 9 - i));
    for (const at of heights) certification.certified(certificateAt(at));
    expect(heights.filter((at) => foundAt(at) !== undefined).sort((a, b) => a - b)).toEqual(
      Array.from({ length: EARLY_MAX }, (_, i) => i),
    );
  }
});

it('certificates of committed heights are dropped, and free capacity', () => {
  const { certification, foundAt } = createNode();
  for (let at = 0; at < EARLY_MAX; at++) certification.certified(certificateAt(at));
  certification.committed({ block: { height: height(9) } } as BlockEntry);
  for (let at = EARLY_MAX; at < EARLY_MAX + 10; at++) certification.certified(certificateAt(at));
  expect(foundAt(9)).toBeUndefined();
  expect(foundAt(10)).toBeDefined();
  expect(foundAt(EARLY_MAX + 9)).toBeDefined();
});

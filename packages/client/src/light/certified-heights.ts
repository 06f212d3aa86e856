/** The newest heights that were verified: to compare with what other nodes say. */
import type { HeightCertificates } from '@slipstream/schema';

/** A height whose state certificate was verified. Ids: 0x and hexadecimal. */
export interface CertifiedHeight {
  readonly height: number;
  readonly epoch: number;
  readonly view: number;
  readonly blockId: string;
  readonly stateDigest: string;
  /** Whether the finalization was there, and was verified too. The state certificate alone says that the block is final. */
  readonly finalization: boolean;
  /** URL of the node that gave them. */
  readonly node: string;
  /** As GET /v1/certificates/{height} answers: what `slipstream evidence blame` reads. */
  readonly certificates: HeightCertificates;
  /** When it was verified. */
  readonly atMs: number;
}

interface CertifiedHeights {
  newest(): CertifiedHeight | undefined;
  at(height: number): CertifiedHeight | undefined;
  /** The lowest above `height`. */
  firstAbove(height: number): CertifiedHeight | undefined;
  /** One that no honest quorum signed beside it; then it is not added. */
  add(certified: CertifiedHeight): CertifiedHeight | undefined;
}

export function createCertifiedHeights(max: number): CertifiedHeights {
  /** Ascending. */
  let known: readonly CertifiedHeight[] = [];
  return {
    newest: () => known.at(-1),
    at: (height) => known.find((each) => each.height === height),
    firstAbove: (height) => known.find((each) => each.height > height),
    add(certified) {
      const rival = known.find((each) => contradict(each, certified));
      if (rival !== undefined) return rival;
      if (known.some(({ height }) => height === certified.height)) return undefined;
      known = [...known, certified].sort((a, b) => a.height - b.height).slice(-max);
      return undefined;
    },
  };
}

/** Views rise with heights within an epoch. Those of two epochs do not compare. */
function contradict(a: CertifiedHeight, b: CertifiedHeight): boolean {
  const isSame = a.blockId === b.blockId && a.stateDigest === b.stateDigest;
  if (a.height === b.height) return !isSame;
  if (a.epoch !== b.epoch) return false;
  return a.view === b.view || a.height < b.height !== a.view < b.view;
}

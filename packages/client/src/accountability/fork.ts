/**
 * Which certificate is missing to name the culprits of a fork (consensus.md, "Why it is safe").
 *
 *   finalized in view v        v: B
 *                             /
 *   its rival   p <-- ... c --- ... --- final block     c: the first view above v of the rival's chain, p: that of its parent
 *
 *   p = v   another block of v is notarized: it contradicts the notarization of B (I1)
 *   p < v   the honest voters of c's block held a nullification of v: it contradicts the finalization of B (I2)
 */
import { bytesEqual, to0x } from '@slipstream/primitives';
import type { Block, BlockId, Certificate, Certify, Finalize, Notarize } from '@slipstream/types';
import { blockIdOf, hexOf } from '@slipstream/types';
import type { Judge } from './judge.ts';
import type { Material } from './material.ts';

interface Missing {
  /** False: whether there is a fork cannot be said yet. */
  readonly isFork: boolean;
  readonly message: string;
  readonly needed: readonly string[];
}

type OfBlock = Certificate<Notarize | Finalize | Certify>;
type Final = Certificate<Finalize | Certify>;

/** Of certificates without a contradiction. Undefined: they agree. */
export function findMissing(first: Material, second: Material, judge: Judge): Missing | undefined {
  const certificates = [...first.certificates, ...second.certificates].filter(isOfBlock);
  /** Notarizations that are not at hand. */
  const lacking = (view: number, ids: readonly BlockId[]) =>
    ids.filter((id) => !certificates.some((each) => isNotarizationOf(each, view, id) && judge.holds(each)));
  const rivals = firstRivals(first, second, judge);
  if (rivals !== undefined) {
    const [a, b] = [rivals[0].subject, rivals[1].subject];
    const message = `blocks ${to0x(a.blockId)} and ${to0x(b.blockId)} of view ${a.view} exclude each other`;
    return { isFork: true, message, needed: notarizationsOf(a.view, lacking(a.view, [a.blockId, b.blockId])) };
  }
  const blocks = new Map([...first.blocks, ...second.blocks].map((block) => [hexOf(blockIdOf(block)), block]));
  const verdicts = newestFinal(first).flatMap((a) =>
    newestFinal(second).flatMap((b) => {
      const [epochA, epochB] = [a.subject.epoch, b.subject.epoch];
      if (epochA !== epochB) return judge.holds(a) && judge.holds(b) ? [ofTwoEpochs(epochA, epochB)] : [];
      if (a.subject.view === b.subject.view || !judge.holds(a) || !judge.holds(b)) return [];
      const [low, high] = a.subject.view < b.subject.view ? [a, b] : [b, a];
      return missingBetween(low, high, blocks, lacking) ?? [];
    }),
  );
  return verdicts.find(({ isFork }) => isFork) ?? verdicts[0];
}

/** Views of two epochs overlap, so neither says which block is above the other. */
function ofTwoEpochs(a: number, b: number): Missing {
  const message = `the newest final blocks are of epochs ${a} and ${b}, whose views do not compare`;
  return { isFork: false, message, needed: [`final blocks of epoch ${Math.min(a, b)} from both sides`] };
}

/** Two blocks of one view, each with a certificate. */
function firstRivals(first: Material, second: Material, judge: Judge): readonly [OfBlock, OfBlock] | undefined {
  const firsts = Map.groupBy(first.certificates.filter(isOfBlock), ({ subject }) => subject.view);
  for (const b of second.certificates.filter(isOfBlock)) {
    for (const a of firsts.get(b.subject.view) ?? []) {
      const rivals = a.subject.epoch === b.subject.epoch && !bytesEqual(a.subject.blockId, b.subject.blockId);
      if (rivals && judge.holds(a) && judge.holds(b)) return [a, b];
    }
  }
  return undefined;
}

/** Ancestors of a final block are final too, so the newest says all. */
function newestFinal({ certificates }: Material): readonly Final[] {
  return (['finalize', 'certify'] as const).flatMap((kind) => {
    const ofKind = certificates.filter(({ subject }) => subject.kind === kind) as readonly Final[];
    const newest = ofKind.toSorted(({ subject: a }, { subject: b }) => b.epoch - a.epoch || b.view - a.view)[0];
    return newest === undefined ? [] : [newest];
  });
}

function missingBetween(
  low: Final,
  high: Final,
  blocks: ReadonlyMap<string, Block>,
  lacking: (view: number, ids: readonly BlockId[]) => readonly BlockId[],
): Missing | undefined {
  const { view, blockId, kind } = low.subject;
  const [lowText, highText] = [to0x(blockId), to0x(high.subject.blockId)];
  let id = high.subject.blockId;
  let block = blocks.get(hexOf(id));
  while (block !== undefined && block.parentView > view) {
    id = block.parentId;
    block = blocks.get(hexOf(id));
  }
  if (block === undefined) {
    const message = `whether block ${highText} descends from block ${lowText} is not shown`;
    return { isFork: false, message, needed: [`block ${to0x(id)}`] };
  }
  const { parentId, parentView } = block;
  if (bytesEqual(parentId, blockId)) return undefined;
  const message = `final block ${highText} does not descend from final block ${lowText}`;
  if (parentView === view) {
    return { isFork: true, message, needed: notarizationsOf(view, lacking(view, [blockId, parentId])) };
  }
  const needed = [
    ...(kind === 'finalize'
      ? []
      : [`the finalization of block ${lowText}, or of a descendant with the blocks between`]),
    `the nullification of view ${view}: the honest validators that notarized block ${to0x(id)} held it`,
  ];
  return { isFork: true, message, needed };
}

function isOfBlock(certificate: Certificate): certificate is OfBlock {
  return certificate.subject.kind !== 'nullify';
}

function isNotarizationOf({ subject }: OfBlock, view: number, id: BlockId): boolean {
  return subject.kind === 'notarize' && subject.view === view && bytesEqual(subject.blockId, id);
}

function notarizationsOf(view: number, ids: readonly BlockId[]): readonly string[] {
  return ids.map((id) => `the notarization of block ${to0x(id)} of view ${view}`);
}

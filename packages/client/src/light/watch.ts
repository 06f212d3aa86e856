/** Compares what nodes report with what is proven, and notices when nothing moves. */
import type { CertifiedHeight } from './certified-heights.ts';
import type { LightNode } from './node.ts';
import type { ReportedBlock } from './node-record.ts';

interface Lag {
  readonly heights: number;
  readonly ms: number;
}

/** `proven`: the first height above the node's, if one is. A node that hides heights and one that is slow are the same from outside. */
export function noteLag(
  node: LightNode,
  {
    head,
    proven,
    nowMs,
  }: { readonly head: number; readonly proven: CertifiedHeight | undefined; readonly nowMs: number },
  max: Lag,
): void {
  const { state, reportedHeight, behind } = node.record.view();
  if (state !== 'following' || reportedHeight === null) return;
  const heights = head - reportedHeight;
  const ms = proven === undefined ? 0 : nowMs - proven.atMs;
  const isBehind = heights > 0 && (heights > max.heights || ms > max.ms);
  if (isBehind && !behind) {
    node.fault('behind', `its newest height is ${reportedHeight}; ${head} is proven, one above it for ${ms} ms`);
  }
  node.record.setBehind(isBehind);
}

/** Undefined: they agree, or one is not known. */
export function differenceOf(reported: ReportedBlock | undefined, certified: CertifiedHeight | undefined) {
  if (reported === undefined || certified === undefined) return undefined;
  const { blockId, stateDigest } = certified;
  const hasDigest = reported.stateDigest !== undefined;
  if (reported.blockId === blockId && (!hasDigest || reported.stateDigest === stateDigest)) return undefined;
  const what = reported.blockId === blockId ? `state ${reported.stateDigest}` : `block ${reported.blockId}`;
  return `it reports ${what} at height ${certified.height}; block ${blockId} and state ${stateDigest} are proven`;
}

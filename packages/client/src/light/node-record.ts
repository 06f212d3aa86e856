/** What a light client knows of one node: what it reports, proved and did. */
import type { NodeFault, NodeFaultCode, NodeView } from './options.ts';

/** Of a block, as the node's stream says. */
export interface ReportedBlock {
  readonly height: number;
  readonly blockId: string;
  readonly stateDigest: string | undefined;
}

export interface NodeRecord {
  view(): NodeView;
  setState(state: NodeView['state']): void;
  reported(block: ReportedBlock | { readonly height: number }): void;
  reportedAt(height: number): ReportedBlock | undefined;
  proved(height: number): void;
  setBehind(behind: boolean): void;
  /** Until when it is excluded for it; undefined: it is not. */
  fault(code: NodeFaultCode, detail: string): number | undefined;
}

interface RecordOptions {
  readonly url: string;
  readonly blocksMax: number;
  readonly nowMs: () => number;
  readonly onChange: (view: NodeView) => void;
}

const EXCLUDING: ReadonlySet<NodeFaultCode> = new Set<NodeFaultCode>([
  'other-chain',
  'false-certificate',
  'false-handover',
  'contradiction',
  'false-proof',
  'flood',
  'malformed',
]);
const EXCLUDED_MS_MIN = 60_000;
const EXCLUDED_MS_MAX = 3_600_000;
/** It may hold what a node wrote. */
const DETAIL_MAX = 300;

export function createNodeRecord({ url, blocksMax, nowMs, onChange }: RecordOptions): NodeRecord {
  const blocks = new Map<number, ReportedBlock>();
  let exclusions = 0;
  let view: NodeView = {
    url,
    state: 'connecting',
    reportedHeight: null,
    provenHeight: null,
    behind: false,
    faults: 0,
    lastFault: null,
    excludedUntilMs: null,
  };

  function change(fields: Partial<NodeView>): void {
    view = { ...view, ...fields };
    onChange(view);
  }

  return {
    view: () => view,
    setState(state) {
      if (state === view.state) return;
      if (state !== 'following') blocks.clear();
      const reportedHeight = state === 'following' ? view.reportedHeight : null;
      change({ state, reportedHeight, ...(state !== 'excluded' && { excludedUntilMs: null }) });
    },
    reported(block) {
      view = { ...view, reportedHeight: block.height };
      if (!('blockId' in block)) return;
      blocks.delete(block.height);
      blocks.set(block.height, block);
      const [oldest] = blocks.keys();
      if (blocks.size > blocksMax && oldest !== undefined) blocks.delete(oldest);
    },
    reportedAt: (height) => blocks.get(height),
    proved(height) {
      view = { ...view, provenHeight: Math.max(height, view.provenHeight ?? 0) };
    },
    setBehind(behind) {
      if (behind !== view.behind) change({ behind });
    },
    fault(code, detail) {
      const atMs = nowMs();
      const lastFault: NodeFault = { code, detail: detail.slice(0, DETAIL_MAX), atMs };
      const faults = view.faults + 1;
      if (!EXCLUDING.has(code)) {
        change({ faults, lastFault });
        return undefined;
      }
      const forMs = Math.min(EXCLUDED_MS_MAX, EXCLUDED_MS_MIN * 2 ** exclusions);
      exclusions += 1;
      const excludedUntilMs = atMs + forMs;
      blocks.clear();
      change({ faults, lastFault, state: 'excluded', reportedHeight: null, excludedUntilMs });
      return excludedUntilMs;
    },
  };
}

/** Views that nodes nullify by rule 5b, and how long views last at each node. */
import type { SimEvent, Simulation } from '@slipstream/simulator';
import type { ReportedEvent } from './watched.ts';

export interface Skip {
  readonly node: string;
  readonly view: number;
  readonly leader: number;
  readonly reason: string;
}

export interface SkippedLeaders {
  /** In order, since the last call of `forget`. */
  readonly skips: readonly Skip[];
  /** Virtual ms from the first node's entry into a view to the last node's entry into the next; of views that all entered. */
  durations(nodes: readonly string[]): ReadonlyMap<number, number>;
  forget(): void;
}

const SKIPPED = ['the leader is blocked by this node', 'no message from the leader for'];

export function watchSkippedLeaders(simulation: Simulation): SkippedLeaders {
  let skips: Skip[] = [];
  let entered = new Map<number, Map<string, number>>();

  simulation.addChecker('skipped leaders', (event: SimEvent, { nowMs }) => {
    if (event.type !== 'note' || event.name !== 'report') return;
    const { type, fields } = event.data as ReportedEvent;
    const view = Number(fields.view);
    if (type === 'view.entered') {
      const at = entered.get(view) ?? new Map<string, number>();
      entered.set(view, at);
      if (!at.has(event.node)) at.set(event.node, nowMs);
    } else if (type === 'view.timeout') {
      const reason = String(fields.reason);
      if (SKIPPED.some((start) => reason.startsWith(start)))
        skips.push({ node: event.node, view, leader: Number(fields.leader), reason });
    }
  });

  return {
    get skips() {
      return skips;
    },
    durations(nodes) {
      const lasted = new Map<number, number>();
      for (const [view, at] of entered) {
        const next = entered.get(view + 1);
        const isWhole = next !== undefined && nodes.every((node) => at.has(node) && next.has(node));
        if (isWhole) lasted.set(view, Math.max(...next.values()) - Math.min(...at.values()));
      }
      return lasted;
    },
    forget() {
      skips = [];
      entered = new Map();
    },
  };
}

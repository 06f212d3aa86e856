/** Of a chain in virtual time; its loss breaks no rule of safety or liveness. */
import type { SimEvent, Simulation } from '@slipstream/simulator';
import type { ReportedEvent } from './watched.ts';

/** Means over consecutive final blocks, virtual ms. */
export interface Speed {
  /** Between a block's creation and its child's. */
  readonly intervalMs: number;
  /** Of the slowest leader. */
  readonly slowestLeaderMs: number;
  /** From creation to finality at the slowest node. */
  readonly finalMs: number;
  readonly lostViews: number;
}

export interface SpeedRecord {
  /** Inclusive heights, final at each of these nodes. */
  between(fromHeight: number, toHeight: number, peers: readonly string[]): Speed;
}

interface Made {
  readonly atMs: number;
  readonly view: number;
  readonly leader: number;
}

export function watchSpeed(simulation: Simulation): SpeedRecord {
  const made = new Map<string, Made>();
  const finalIds = new Map<number, string>();
  const finalAt = new Map<string, Map<number, number>>();

  simulation.addChecker('speed', (event: SimEvent, { nowMs }) => {
    if (event.type !== 'note' || event.name !== 'report') return;
    const { type, fields } = event.data as ReportedEvent;
    const id = String(fields.blockId);
    if (type === 'block.proposed') {
      if (!made.has(id)) made.set(id, { atMs: nowMs, view: Number(fields.view), leader: Number(fields.leader) });
    } else if (type === 'block.final') {
      const height = Number(fields.height);
      const here = finalAt.get(event.node) ?? new Map<number, number>();
      finalAt.set(event.node, here);
      if (!here.has(height)) here.set(height, nowMs);
      finalIds.set(height, id);
    }
  });

  const madeAt = (height: number) => made.get(finalIds.get(height) ?? '') as Made;

  return {
    between(fromHeight, toHeight, peers) {
      const heights = Array.from({ length: toHeight - fromHeight }, (_, i) => fromHeight + 1 + i);
      const byLeader = new Map<number, number[]>();
      for (const height of heights) {
        const { atMs, leader } = madeAt(height);
        const intervals = byLeader.get(leader) ?? [];
        byLeader.set(leader, intervals);
        intervals.push(atMs - madeAt(height - 1).atMs);
      }
      const finalMs = peers.map((peer) =>
        mean(heights.map((height) => (finalAt.get(peer)?.get(height) as number) - madeAt(height).atMs)),
      );
      const views = madeAt(toHeight).view - madeAt(fromHeight).view;
      return {
        intervalMs: mean([...byLeader.values()].flat()),
        slowestLeaderMs: Math.max(...[...byLeader.values()].map(mean)),
        finalMs: Math.max(...finalMs),
        lostViews: views - heights.length,
      };
    },
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

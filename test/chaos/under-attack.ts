/** A network under load and attack: cost at honest nodes, and honest traffic. */

import { type WatchedLoad, watchedLoad } from '@slipstream/app-loadgen';
import { type ClusterNode, eventually, logEnd, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { expect } from 'vitest';
import { type CostWatch, watchCost } from './outside-view.ts';
import { REPORTS_OFF } from './reports-off.ts';

const TPS = 20;
/** Honest transfers that must become final during an attack. */
const FLOWING = 3 * TPS;
const FLOW_MS_MAX = 120_000;
const MIB = 1024 * 1024;

/**
 * Growth of memory under attack. Per peer and lane the transport holds at most one window (1 MiB), one partial frame (8 MiB in all lanes) and
 * 256 handshakes (10 MiB); the API 64 MiB of bodies; the rest is garbage.
 */
const GROWTH_BYTES_MAX = 384 * MIB;

export interface AttackedNetwork {
  readonly network: TemporaryNetwork;
  readonly running: WatchedLoad;
  /** Attacks until honest transfers became final; the named nodes must have stayed in bounds. */
  during(watched: readonly string[], attack: () => Promise<() => Promise<void> | void>): Promise<void>;
  remove(): Promise<void>;
}

export async function attackedNetwork(): Promise<AttackedNetwork> {
  const network = await temporaryNetwork({ validators: 4, flags: REPORTS_OFF });
  await network.start();
  const running = await watchedLoad(network, TPS);

  async function untilFinal(more: number, what: string): Promise<void> {
    const wanted = running.load.sent.counts().final + more;
    await eventually(`${more} more final transfers ${what}`, FLOW_MS_MAX, async () =>
      running.load.sent.counts().final >= wanted ? true : undefined,
    );
  }

  return {
    network,
    running,
    async during(watched, attack) {
      await untilFinal(TPS, 'before the attack');
      const nodes = watched.map((name) => network.node(name));
      const before = await Promise.all(nodes.map(async (node) => (await watchCost(pidOf(node))).stop()));
      let stop: (() => Promise<void> | void) | undefined;
      let watches: readonly CostWatch[] = [];
      try {
        stop = await attack();
        watches = await Promise.all(nodes.map((node) => watchCost(pidOf(node))));
        await untilFinal(FLOWING, 'under the attack');
      } catch (error) {
        throw new Error(await explained(error, nodes), { cause: error });
      } finally {
        await stop?.();
      }
      for (const [index, watch] of watches.entries()) {
        const { residentBytes } = await watch.stop();
        const grown = residentBytes - (before[index]?.residentBytes ?? 0);
        expect(grown, `memory that ${watched[index]} took under the attack`).toBeLessThan(GROWTH_BYTES_MAX);
      }
      await untilFinal(TPS, 'after the attack');
    },
    async remove() {
      running.watch.stop();
      await network.remove();
    },
  };
}

/** The error with the last log lines of dead nodes. */
async function explained(error: unknown, nodes: readonly ClusterNode[]): Promise<string> {
  const dead = nodes.filter(({ process }) => !process.running);
  const words = await Promise.all(
    dead.map(async (node) => `${node.name} died; its log ends with:\n${await logEnd(node)}`),
  );
  return [error instanceof Error ? error.message : String(error), ...words].join('\n');
}

function pidOf({ name, process }: ClusterNode): number {
  if (process.pid === undefined) throw new Error(`${name} does not run`);
  return process.pid;
}

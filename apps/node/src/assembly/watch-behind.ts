/** Lets a running node that is far behind take over a state (sync.md, Y25). */
import { join } from 'node:path';
import { HOME } from '@slipstream/node-home';
import { createDistanceWatch, type DistanceWatch, isStranded, sourcesOfRunningNode } from '@slipstream/sync/state-sync';
import type { Committee } from '@slipstream/types';
import type { Building } from './building.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import type { NodeParts } from './parts.ts';
import { joinBeside, takesStates } from './state-sync.ts';

export function watchBehind(
  { start, identity, world, executor, epochs, replaceState }: Building,
  { transport, stores }: Pick<NodeParts, 'transport' | 'stores'>,
  { consensus, sync }: ConnectedConsensus,
): DistanceWatch {
  const { config, home } = start;
  const { clock, telemetry } = world;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sources = (committee: Committee) =>
    sourcesOfRunningNode({ transport, ask: sync.ask, clock, telemetry, signal }, committee);
  const joining = { folder: join(home, HOME.data), identity, config, world };
  const takeOver = (height: number) =>
    joinBeside(joining, async (committee) => sources(committee), { height, ledger: stores.ledger }, signal);
  const watch = createDistanceWatch(
    {
      clock,
      telemetry,
      heights: () => ({
        own: executor.status().committedHeight,
        reported: consensus.status().highestReportedHeight,
      }),
      join: takesStates(config) ? takeOver : undefined,
      isStranded: (own) => isStranded(sources(epochs.committee()), own),
      replace: replaceState,
    },
    config['sync.distance'],
  );
  return {
    isStranded: watch.isStranded,
    stop() {
      stopping.abort();
      return watch.stop();
    },
  };
}

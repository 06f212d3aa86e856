/** Lets a running node that is far behind take over a state (sync.md, Y25). */
import { join } from 'node:path';
import { HOME } from '@slipstream/node-home';
import { type DistanceWatch, isStranded, sourcesOfRunningNode, watchDistance } from '@slipstream/sync/state-sync';
import type { Building } from './building.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import type { NodeParts } from './parts.ts';
import { joinBeside, takesStates } from './state-sync.ts';

export function watchBehind(
  { start, identity, world, executor, replaceState }: Building,
  { transport }: Pick<NodeParts, 'transport'>,
  { consensus, sync }: ConnectedConsensus,
): DistanceWatch {
  const { config, home } = start;
  const { clock, telemetry } = world;
  const stopping = new AbortController();
  const { signal } = stopping;
  const sources = () =>
    sourcesOfRunningNode({ transport, ask: sync.ask, clock, telemetry, signal }, identity.committee);
  const joining = { folder: join(home, HOME.data), identity, config, world };
  const watch = watchDistance(
    {
      clock,
      telemetry,
      heights: () => ({
        own: executor.status().committedHeight,
        reported: consensus.status().highestReportedHeight,
      }),
      join: takesStates(config) ? (own) => joinBeside(joining, async () => sources(), own, signal) : undefined,
      isStranded: (own) => isStranded(sources(), own),
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

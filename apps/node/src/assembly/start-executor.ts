import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { DATA, HOME } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import { assert } from '@slipstream/primitives';
import { type Executor, openExecutor } from '../executor/executor.ts';
import type { ExecutorSetting } from '../executor/wire.ts';
import { callThreads } from '../parallel/call-threads.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import { tracedOneIn } from '../tracing/tracing.ts';
import { suppliedPayload } from './application.ts';
import type { Links } from './building.ts';
import type { NodeWorld } from './node-world.ts';
import type { NodeStart } from './running-node.ts';

interface ExecutorStart {
  readonly ledgerIsChecked: boolean;
  readonly stateReads: MessagePort;
  readonly quarantine: Pick<Quarantine, 'add'>;
}

export function startExecutor(
  start: NodeStart,
  identity: Identity,
  { clock, telemetry, turns, fail }: NodeWorld,
  links: Links,
  { ledgerIsChecked, stateReads, quarantine }: ExecutorStart,
): Promise<Executor> {
  return openExecutor(
    {
      clock,
      telemetry,
      turns,
      fail,
      async payloadOf(blockId, block, signal) {
        assert(links.dissemination !== undefined, 'no payload is requested before the executor is started');
        return suppliedPayload(links.dissemination, blockId, block, signal);
      },
      onEndless: (call) => quarantine.add({ ...call, by: 'watchdog', sinceMs: clock.wallMs() }),
      readers: start.config['api.enabled'] ? [stateReads] : [],
    },
    executorSetting(start, identity, ledgerIsChecked),
  );
}

export function executorSetting(
  { config, home }: NodeStart,
  { genesis, genesisHash, applications, accepted }: Identity,
  ledgerIsChecked: boolean,
): ExecutorSetting {
  const every = config['sync.snapshotEvery'];
  return {
    folder: join(home, HOME.data),
    genesis,
    genesisHash,
    applications,
    callWorkers: callThreads(config['applications.workers'], availableParallelism()),
    accepted,
    ledgerIsChecked,
    tracedOneIn: tracedOneIn(config),
    profilesTurns: config['development.profileTurns'],
    mode: config['pipeline.mode'] === 'sequential' ? 'sequential' : 'parallel',
    snapshots: every === 0 ? undefined : { directory: DATA.snapshots, every, keep: config['sync.snapshotsKept'] },
    divergeAt:
      genesis.development && config['development.divergeAt'] >= 0 ? config['development.divergeAt'] : undefined,
    retention: { archive: config['retention.archive'], blocks: config['retention.blocks'] },
  };
}

/**
 * A generation: all parts of a node but its API's thread, opened on the data folder and stopped whole. A state sync beside a running node ends
 * one and begins the next, which opens as after a restart.
 *
 *   executor's thread --> flight recorder --> log --> verifier's threads --> dissemination --> consensus --> API
 */
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { HOME } from '@slipstream/node-home';
import { readFetched } from '@slipstream/node-home/applications';
import { type Identity, loadIdentity } from '@slipstream/node-home/identity';
import { keyFault } from '@slipstream/node-home/key-fault';
import { createDisk } from '@slipstream/platform';
import { type EpochRecord, recordOfGenesis } from '@slipstream/types';
import type { ApiThread } from '../api-thread/api.ts';
import { createNodeArtifacts, type NodeArtifacts } from '../artifacts/node-artifacts.ts';
import { createKnownRules, knownVersion, refuseUnknownRules } from '../epochs/known-rules.ts';
import { type HeldKeys, watchNextKeys } from '../epochs/next-keys.ts';
import { createNodeEpochs } from '../epochs/node-epochs.ts';
import { watchRotation } from '../epochs/watch-rotation.ts';
import type { Executor } from '../executor/executor.ts';
import { openQuarantine } from '../quarantine/quarantine.ts';
import type { FloorMark } from '../storage/floor-mark.ts';
import { type Assembled, assemble } from './assemble.ts';
import type { Building, Links, Stop } from './building.ts';
import type { NodeWorld } from './node-world.ts';
import { openFlightRecorder } from './recorder.ts';
import type { NodeStart } from './running-node.ts';
import { startExecutor } from './start-executor.ts';

interface Lasting {
  readonly start: NodeStart;
  readonly identity: Identity;
  readonly world: NodeWorld;
  readonly api: ApiThread | undefined;
  readonly links: Links;
  readonly replaceState: Building['replaceState'];
  readonly changeIdentity: () => void;
  readonly floorMark: FloorMark;
}

export interface Generation extends Assembled {
  /** The command that replays the newest recorded input of consensus; undefined: recording is off. */
  replayCommand(): string | undefined;
  /** The node fails: its recording ends without an end mark. */
  failed(): void;
  /** Idempotent. */
  stop(): Promise<void>;
}

export async function openGeneration(lasting: Lasting, ledgerIsChecked: boolean): Promise<Generation> {
  const { start, identity, world, links } = lasting;
  const stops: Stop[] = [];
  const folder = join(start.home, HOME.data);
  let failed = () => {};
  try {
    const { port1, port2 } = new MessageChannel();
    // The executor writes the first formats of a new folder: those of genesis.
    if (lasting.floorMark.version === 0) lasting.floorMark.raise(recordOfGenesis(identity.genesis).version);
    const quarantine = openQuarantine(folder, world.telemetry);
    // The executor opens the folder before all others: its lock keeps a second process off.
    const executor = await startExecutor(start, identity, world, links, {
      ledgerIsChecked,
      stateReads: port1,
      quarantine,
    });
    stops.push(() => executor.stop());
    const recorderParts = { ...world, disk: createDisk({ root: folder }) };
    const flight = await openFlightRecorder(recorderParts, start.config, folder);
    stops.push(() => flight.stop());
    failed = flight.failed;
    const recorded = { ...world, recorder: flight.recorder };
    const keys: HeldKeys = { blsKeys: identity.blsKeys, networkKeys: identity.networkKeys };
    const epochs = createNodeEpochs(keys, executor.records(), executor.record().epoch);
    const artifacts = await openArtifacts(lasting, executor);
    const known = { version: knownVersion(start.config, identity.genesis), artifacts };
    refuseUnknownRules(epochs.record(), known);
    warnOfKeys(epochs.record(), identity, world);
    watchNextKeys(epochs, keys, () => loadIdentity(start.home, start.config), world, lasting.changeIdentity);
    const watch = watchRotation(epochs, keys, identity.peer, world, lasting.changeIdentity);
    stops.push(() => watch.stop());
    const rules = createKnownRules(
      { ...world, epochs, floorMark: lasting.floorMark, committedHeight: () => executor.status().committedHeight },
      known,
    );
    rules.begin(epochs.record());
    stops.push(() => rules.stop());
    const open = { executor, artifacts, quarantine, keys, epochs, rules, stateReads: port2, stops };
    const assembled = await assemble({ ...lasting, world: recorded, ...open });
    let stopping: Promise<void> | undefined;
    return {
      ...assembled,
      replayCommand: flight.command,
      failed,
      stop() {
        stopping ??= stopAll(stops);
        return stopping;
      },
    };
  } catch (error) {
    failed();
    await stopAll(stops);
    throw error;
  }
}

async function openArtifacts(
  { start: { home }, identity, world, api }: Lasting,
  { accept }: Pick<Executor, 'accept'>,
): Promise<NodeArtifacts> {
  return createNodeArtifacts(
    { ...world, load: accept, accepted: async (artifact) => api?.accepted(artifact) },
    { home, ...identity, fetched: await readFetched(home) },
  );
}

function warnOfKeys(record: EpochRecord, identity: Identity, { telemetry }: NodeWorld): void {
  const found = keyFault(record, identity);
  if (found !== undefined) telemetry.log('warn', found.message, { remedy: found.remedy });
}

/** In reverse order of starting; a part that fails to stop does not keep the others running. */
async function stopAll(stops: Stop[]): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch {
      // The failed part reported the error; the next start recovers.
    }
  }
}

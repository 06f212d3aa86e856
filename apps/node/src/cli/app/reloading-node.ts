/**
 * A node with one application whose program is replaced while it runs.
 *
 *   artifact --> parts end --> data folder aside --> history executed again in a new one --> parts begin        the API's port stays open
 *                                                            \--fails--> the old folder comes back --^
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HOME } from '@slipstream/node-home';
import { foundingApplication, inGenesis, keepApplications } from '@slipstream/node-home/applications';
import { loadIdentity } from '@slipstream/node-home/identity';
import { createClock, createRandom } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { assert, bytesEqual } from '@slipstream/primitives';
import { startNode } from '../../assembly/node.ts';
import type { NodeStart, RunningNode } from '../../assembly/running-node.ts';
import { executorSetting } from '../../assembly/start-executor.ts';
import { type ExecutedAgain, executeAgain } from '../../development/execute-again.ts';
import { NodeError } from '../../errors.ts';
import { makeDevelopmentHome } from './development-home.ts';

export interface Program {
  readonly artifact: Uint8Array;
  /** JSON of the genesis function's input. */
  readonly genesis: unknown;
}

export interface ReloadingNode extends Pick<RunningNode, 'failed' | 'finished' | 'stop'> {
  readonly url: string;
  readonly isInMemory: boolean;
  /** Of the account that holds the supply. */
  readonly faucetSecret: Uint8Array;
  /**
   * One at a time. Rejects with NodeError `usage` where genesis would differ; with HomeError `usage` for input of another form; with what
   * executing the history threw. Then the old program runs on.
   */
  replace(program: Program): Promise<ExecutedAgain>;
}

/** Beside the data folder, while the history is executed again. */
const BEFORE = `${HOME.data}.before`;

type Start = Pick<NodeStart, 'logger' | 'losses' | 'consoleFolder'> & { readonly apiPort: number };

/** Throws HomeError `usage` for input of another form, or a genesis function that does not succeed; and as `startNode`. */
export async function startReloadingNode(program: Program, given: Start): Promise<ReloadingNode> {
  const founding = foundingApplication(program.artifact, program.genesis);
  const { apiPort, ...rest } = given;
  const made = await makeDevelopmentHome(founding, { apiPort });
  const start: NodeStart = { ...rest, home: made.home, config: made.config, openExport: undefined };
  const node = await startNode(start).catch(async (error: unknown) => {
    await made.remove();
    throw error;
  });
  assert(node.apiUrl !== undefined, 'the API of a development chain is on');
  return {
    url: node.apiUrl,
    isInMemory: made.isInMemory,
    faucetSecret: made.faucetSecret,
    failed: node.failed,
    finished: node.finished,
    async replace(next) {
      const { artifact } = refuseOtherGenesis(next, node);
      const exchanged = Promise.withResolvers<ExecutedAgain>();
      exchanged.promise.catch(() => {}); // awaited once the node runs again
      await node.exchange('application', () => executeOn(start, artifact).then(exchanged.resolve, exchanged.reject));
      return exchanged.promise;
    },
    async stop() {
      await node.stop();
      await made.remove();
    },
  };
}

/** Transactions are signed for the genesis: of another one they would not be valid. */
function refuseOtherGenesis({ artifact, genesis }: Program, { genesis: { applications } }: RunningNode) {
  const founding = foundingApplication(artifact, genesis);
  const [now, before] = [inGenesis(founding), applications?.[0]];
  if (now.name === before?.name && bytesEqual(now.input, before.input)) return founding;
  const what = now.name === before?.name ? 'the input of genesis' : `the name of the application (${now.name})`;
  const message = `${what} is another one, and the history is signed for the genesis of before: stop, and start app dev again`;
  throw new NodeError('usage', message);
}

async function executeOn(start: NodeStart, artifact: Uint8Array): Promise<ExecutedAgain> {
  const { home, config } = start;
  const [data, before] = [join(home, HOME.data), join(home, BEFORE)];
  const running = (await loadIdentity(home, config)).applications;
  await rename(data, before);
  try {
    await keepApplications(home, [artifact]);
    const identity = await loadIdentity(home, config);
    assert(identity.validator !== undefined, 'the node of a development chain is its validator');
    const { secretKey } = identity.validator;
    const setting = executorSetting(start, identity, false);
    const again = await executeAgain(
      { clock: createClock(), random: createRandom(), telemetry: silentTelemetry },
      { setting, before, secretKey },
    );
    await rm(before, { recursive: true });
    return again;
  } catch (error) {
    await keepApplications(home, running);
    await rm(data, { recursive: true, force: true });
    await rename(before, data);
    throw error;
  }
}

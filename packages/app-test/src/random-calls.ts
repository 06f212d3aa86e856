/** Random calls of an application and its invariants, for a chain that another program plays, such as the simulator's nodes. */
import type { BuildResult } from '@slipstream/app-build';
import { QUERY_TICKS_MAX } from '@slipstream/app-realm';
import type { ReadState } from '@slipstream/execution';
import type { SeededRandom } from '@slipstream/simulator';
import type { GenesisHash } from '@slipstream/types';
import { createQueryHost } from './node/query-host.ts';
import { genesisBytes, prepareFile } from './prepare.ts';
import { drawCall, type World } from './simulation/draw-call.ts';

/** By the name of an action. */
export type Inputs = NonNullable<Parameters<typeof drawCall>[3]>;

interface RandomCalls {
  readonly build: BuildResult;
  /** Bytes of the genesis function's input. */
  readonly genesis: Uint8Array;
  draw(random: SeededRandom, world: World): { readonly action: number; readonly input: Uint8Array };
  /** Of an action. */
  nameOf(action: number): string;
  /** Names of the invariants that do not hold in a state of a chain whose only application this is. */
  broken(read: ReadState, genesisHash: GenesisHash): readonly string[];
}

/**
 * @param file of the application, absolute
 * @param genesis JSON of its genesis function's input
 * @param inputs of actions whose inputs are not drawn by their forms
 *
 * Throws BuildError; TestError `genesis-failed` for input of another form.
 */
export async function randomCalls(file: string, genesis: unknown, inputs?: Inputs): Promise<RandomCalls> {
  const prepared = await prepareFile(file);
  const { build, json, used } = prepared;
  return {
    build,
    genesis: genesisBytes(prepared, genesis),
    draw(random, world) {
      const { action, input } = drawCall(build.manifest, random, world, inputs);
      return { action, input: json.inputFromJson(action, input) };
    },
    nameOf: (action) => build.manifest.actions.find(({ number }) => number === action)?.name ?? `action ${action}`,
    broken(read, genesisHash) {
      used.use(createQueryHost(read, genesisHash));
      used.setTicks(QUERY_TICKS_MAX);
      return used.invariants();
    },
  };
}

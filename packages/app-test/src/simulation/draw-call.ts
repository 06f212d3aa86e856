import type { ApplicationManifest } from '@slipstream/app/program';
import type { SeededRandom } from '@slipstream/simulator';
import { randomInput, type World } from './random-input.ts';

export type { World } from './random-input.ts';

/** By the name of an action. */
type Inputs = Readonly<Record<string, ((random: SeededRandom, world: World) => unknown) | undefined>>;

interface Draw {
  readonly name: string;
  readonly action: number;
  /** JSON. */
  readonly input: unknown;
}

/** `inputs`: of actions whose inputs are not drawn by their forms. */
export function drawCall(
  { actions }: ApplicationManifest,
  random: SeededRandom,
  world: World,
  inputs: Inputs = {},
): Draw {
  const { name, number, input } = random.pick(actions);
  return { name, action: number, input: inputs[name]?.(random, world) ?? randomInput(input, random, world) };
}

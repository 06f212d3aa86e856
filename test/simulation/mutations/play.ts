/** Each mutation in its own process, until a simulation fails. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './table.ts';

export interface MutationResult {
  readonly mutation: string;
  /** The first; undefined: undetected. */
  readonly caught: string | undefined;
  /** Crashed (TypeError and the like) before a checker failed: proves nothing. */
  readonly stumbled: string | undefined;
  readonly seconds: number;
}

const SEEDS_EACH = 12;
/** Then undetected. It only ends what hangs: a mutation may wait for processors behind other work. */
const MS_MAX = 1_200_000;

const runner = fileURLToPath(new URL('./run.ts', import.meta.url));
const hook = new URL('./hook.ts', import.meta.url).href;

export async function playMutation(mutation: Mutation): Promise<MutationResult> {
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', hook, runner, mutation.name, String(SEEDS_EACH)],
    { env: { ...process.env, SLIPSTREAM_MUTATION: mutation.name }, stdio: ['ignore', 'pipe', 'pipe'], timeout: MS_MAX },
  );
  let output = '';
  let errors = '';
  child.stdout.on('data', (bytes) => {
    output += String(bytes);
  });
  child.stderr.on('data', (bytes) => {
    errors += String(bytes);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - startedMs) / 1000;
  const caught = /^CAUGHT (.*)$/m.exec(output)?.[1];
  const stumbled = /^STUMBLED (.*)$/m.exec(output)?.[1];
  if (caught === undefined && code !== 0 && code !== null) {
    throw new Error(`mutation ${mutation.name} could not be played: ${/^.*Error.*$/m.exec(errors)?.[0] ?? errors}`);
  }
  return { mutation: mutation.name, caught, stumbled, seconds };
}

/** One per core. */
export async function playMutations(
  names: readonly string[],
  onResult: (result: MutationResult) => void,
): Promise<readonly MutationResult[]> {
  const results: MutationResult[] = [];
  const waiting = MUTATIONS.filter(({ name }) => names.length === 0 || names.includes(name));
  const playWaiting = async (): Promise<void> => {
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      const result = await playMutation(mutation);
      onResult(result);
      results.push(result);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, playWaiting));
  return results;
}

import { describe, selectScenarios, sizesOf } from '../runs.ts';
import { playScenario } from '../scenario.ts';
import { MUTATIONS } from './table.ts';

const [name, seeds] = process.argv.slice(2);
const mutation = MUTATIONS.find((each) => each.name === name);
if (mutation === undefined) throw new RangeError(`there is no mutation "${name}"`);

async function firstFailure(): Promise<{ readonly text: string; readonly stumbled: boolean } | undefined> {
  for (let seed = 1; seed <= Number(seeds); seed++) {
    for (const scenario of mutation?.scenarios ?? []) {
      for (const played of selectScenarios(scenario)) {
        const [at = seed] = (await played.seedsOf?.({ firstSeed: seed, seeds: 1, long: false })) ?? [];
        try {
          await playScenario(played, {
            seed: at,
            size: mutation?.size ?? (sizesOf(played)[0] as number),
            realBls: false,
          });
        } catch (cause) {
          return { text: `${scenario}, seed ${at}: ${describe(cause)}`, stumbled: isStumble(cause) };
        }
      }
    }
  }
  return undefined;
}

/** A mutation that only makes the program crash proves nothing. */
function isStumble(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  return (
    cause instanceof TypeError ||
    cause instanceof ReferenceError ||
    cause instanceof SyntaxError ||
    isStumble(cause.cause)
  );
}

const failure = await firstFailure();
if (failure === undefined) {
  process.stdout.write('UNNOTICED\n');
} else {
  const text = failure.text.replaceAll('\n', ' ');
  process.stdout.write(`${failure.stumbled ? 'STUMBLED' : 'CAUGHT'} ${text}\n`);
}

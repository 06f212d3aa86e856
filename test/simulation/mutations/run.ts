/** The process of one mutation: plays its scenarios, seed after seed, until one fails. */
import { describe, selectScenarios } from '../runs.ts';
import { playScenario } from '../scenario.ts';
import { MUTATIONS } from './table.ts';

const [name, seeds] = process.argv.slice(2);
const mutation = MUTATIONS.find((each) => each.name === name);
if (mutation === undefined) throw new RangeError(`there is no mutation "${name}"`);

async function firstFailure(): Promise<string | undefined> {
  for (let seed = 1; seed <= Number(seeds); seed++) {
    for (const scenario of mutation?.scenarios ?? []) {
      for (const played of selectScenarios(scenario)) {
        const [at = seed] = played.seedsOf?.({ firstSeed: seed, seeds: 1, long: false }) ?? [];
        try {
          await playScenario(played, { seed: at, size: mutation?.size ?? played.sizes?.[0] ?? 4, realBls: false });
        } catch (cause) {
          return `${scenario}, seed ${at}: ${describe(cause)}`;
        }
      }
    }
  }
  return undefined;
}

const failure = await firstFailure();
process.stdout.write(failure === undefined ? 'UNNOTICED\n' : `CAUGHT ${failure.replaceAll('\n', ' ')}\n`);

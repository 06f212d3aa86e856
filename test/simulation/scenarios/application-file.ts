/**
 * Any application, in random calls: `application:FILE=GENESIS=INPUTS`, with the JSON file of its genesis function's input, and a module whose
 * default export draws inputs of actions. Both may be empty or missing.
 *
 * Of three seeds in a row one has power cuts, one rival blocks of lying leaders, one a node that executes far behind. Payloads, accounts'
 * signatures and the committee's are stand-ins; prices are zero; the application is the chain's only one.
 */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Inputs } from '@slipstream/app-test/random-calls';
import { callsOfFile } from '../harness/calls/file.ts';
import type { Scenario } from '../scenario.ts';
import { playCrashes, playLag, playRivals } from './pipeline.ts';

export const OF_APPLICATION = 'application:';

/** `name`: begins with OF_APPLICATION. */
export function applicationScenario(name: string): Scenario {
  const [file = '', genesis = '', inputs = ''] = name.slice(OF_APPLICATION.length).split('=');
  return {
    name,
    // Paths differ from machine to machine, and a seed plays the same on each.
    seededBy: `${OF_APPLICATION}${basename(file)}`,
    about: `Random calls of ${file}: all nodes have the same states, and its invariants hold after each block.`,
    async play(stage) {
      const input: unknown = genesis === '' ? {} : JSON.parse(await readFile(resolve(genesis), 'utf8'));
      const calls = await callsOfFile(resolve(file), input, await inputsIn(inputs));
      if (stage.seed % 3 === 1) await playCrashes(stage, { rounds: 3, calls });
      else if (stage.seed % 3 === 2) await playRivals(stage, { calls });
      else await playLag(stage, { calls });
      stage.report(calls.outcomes);
    },
  };
}

async function inputsIn(module: string): Promise<Inputs | undefined> {
  if (module === '') return undefined;
  const { default: inputs } = await import(pathToFileURL(resolve(module)).href);
  if (typeof inputs === 'object' && inputs !== null) return inputs;
  throw new TypeError(`${module}: its default export is no object of functions by the name of an action`);
}

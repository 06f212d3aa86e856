/**
 * Any application, in random calls: `application:FILE`, or `application:FILE=GENESIS` with the JSON file of its genesis function's input.
 *
 * Of three seeds in a row one has power cuts, one rival blocks of lying leaders, one a node that executes far behind. Payloads, accounts'
 * signatures and the committee's are stand-ins; prices are zero; the application is the chain's only one.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { callsOfFile } from '../harness/calls/file.ts';
import type { Scenario } from '../scenario.ts';
import { playCrashes, playLag, playRivals } from './pipeline.ts';

export const OF_APPLICATION = 'application:';

/** `name`: begins with OF_APPLICATION. */
export function applicationScenario(name: string): Scenario {
  const [file = '', genesis] = name.slice(OF_APPLICATION.length).split('=');
  return {
    name,
    about: `Random calls of ${file}: all nodes have the same states, and its invariants hold after each block.`,
    async play(stage) {
      const input: unknown = genesis === undefined ? {} : JSON.parse(await readFile(resolve(genesis), 'utf8'));
      const calls = await callsOfFile(resolve(file), input);
      if (stage.seed % 3 === 1) await playCrashes(stage, { rounds: 3, calls });
      else if (stage.seed % 3 === 2) await playRivals(stage, calls);
      else await playLag(stage, calls);
    },
  };
}

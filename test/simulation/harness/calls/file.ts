/** Calls of an application in a file, drawn by its forms or by a module; after each block its own invariants hold. */
import { loadProgram } from '@slipstream/app-realm';
import { type Inputs, randomCalls } from '@slipstream/app-test/random-calls';
import { createApplications } from '@slipstream/execution';
import { assert, to0x } from '@slipstream/primitives';
import { createRandom, EPOCH_MS } from '@slipstream/simulator';
import { type Call, failureInOutput, type GenesisHash, type Receipt } from '@slipstream/types';
import type { TransactionForm } from '../../../../packages/execution/test/builders.ts';
import { ACCOUNTS, idIn, type SimulatedCalls, textOf } from './simulated-calls.ts';

/** Their ids are what other calls name. */
const REPEATED = 32;
const EXPIRY_MS = EPOCH_MS + 55_000;

const accounts = Array.from({ length: ACCOUNTS }, (_, i) => textOf(i + 1));

/** How often calls of each action ended how. */
export type Outcomes = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface CountedCalls extends SimulatedCalls {
  readonly outcomes: Outcomes;
}

/** Throws as `randomCalls`. */
export async function callsOfFile(file: string, genesis: unknown, inputs?: Inputs): Promise<CountedCalls> {
  const application = await randomCalls(file, genesis, inputs);
  const outcomes: Record<string, Record<string, number>> = {};
  const { hash, manifest, script } = application.build;
  const idsByChain = new Map<GenesisHash, readonly string[]>();

  function call(seed: string, ids: readonly string[]): Call {
    const drawn = application.draw(createRandom(seed), { accounts, ids, timeMs: EPOCH_MS });
    return { kind: 'call', application: manifest.name, ...drawn };
  }

  function repeated(number: number): Omit<TransactionForm, 'genesisHash'> {
    const salt = number % REPEATED;
    return { from: 1 + (salt % ACCOUNTS), actions: [call(`repeated ${salt}`, [])], salt, expiryMs: EXPIRY_MS };
  }

  function idsOn(genesisHash: GenesisHash): readonly string[] {
    const known = idsByChain.get(genesisHash);
    if (known !== undefined) return known;
    const made = Array.from({ length: REPEATED }, (_, number) => to0x(idIn(repeated(number), genesisHash)));
    idsByChain.set(genesisHash, made);
    return made;
  }

  return {
    outcomes,
    ended({ action }, receipt) {
      const name = application.nameOf(action);
      const code = codeOf(receipt);
      const counts = outcomes[name] ?? {};
      outcomes[name] = { ...counts, [code]: (counts[code] ?? 0) + 1 };
    },
    genesis: [{ name: manifest.name, hash, input: application.genesis }],
    open: () => createApplications([{ hash, program: loadProgram({ manifest, script }) }]),
    action: ({ to, amount, salt }, genesisHash) => call(`${to} ${amount} ${salt}`, idsOn(genesisHash)),
    repeated,
    check({ read, genesisHash, height }) {
      const broken = application.broken(read, genesisHash);
      assert(
        broken.length === 0,
        `the invariant ${broken.join(' and ')} of ${manifest.name} does not hold after block ${height}`,
      );
    },
  };
}

/** As tests of the application name it. */
function codeOf({ outcome, output }: Receipt): string {
  if (outcome.status === 'success') return outcome.status;
  return (outcome.code === 'application-failed' ? failureInOutput(output) : undefined) ?? outcome.code;
}

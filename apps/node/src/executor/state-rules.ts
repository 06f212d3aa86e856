/**
 * Admission rules by state, with one read of committed state per turn of the event loop. Execution decides, so a read refused by a full
 * queue counts as no check.
 */
import type { DisseminationRules } from '@slipstream/dissemination';
import { accountStateKey, decodeBalance, sessionRefusalOf } from '@slipstream/execution';
import { toHex } from '@slipstream/primitives';
import { ThreadError } from '../threads/errors.ts';
import type { ReadStateValues } from './state-reader.ts';

type Values = readonly (Uint8Array | undefined)[];
/** Undefined: the read was refused. */
type GatheredRead = (keys: readonly Uint8Array[]) => Promise<Values | undefined>;

export function stateRules(
  readState: ReadStateValues,
  numberOfApplication: (name: string) => number | undefined,
): Required<Pick<DisseminationRules, 'balancesOf' | 'sessionRefusals'>> {
  const read = gatherReads(readState);
  return {
    async balancesOf(accounts) {
      const values = await read(accounts.map((account) => accountStateKey(account).bytes));
      return values?.map((value) => decodeBalance(value)) ?? [];
    },
    async sessionRefusals(questions, nowMs) {
      const keys: Uint8Array[] = [];
      const note = (key: Uint8Array) => {
        keys.push(key);
        return undefined;
      };
      const terms = { nowMs, numberOfApplication };
      // The keys that a session check reads do not depend on their values.
      for (const { transaction, id } of questions) sessionRefusalOf(note, transaction, id, terms);
      if (keys.length === 0) return [];
      const values = await read(keys);
      if (values === undefined) return [];
      const known = new Map(keys.map((key, i) => [toHex(key), values[i]]));
      const sessionOf = (key: Uint8Array) => known.get(toHex(key));
      return questions.map(({ transaction, id }) => sessionRefusalOf(sessionOf, transaction, id, terms));
    },
  };
}

function gatherReads(readState: ReadStateValues): GatheredRead {
  let keys: Uint8Array[] = [];
  let asked: Promise<Values | undefined> | undefined;

  async function ask(): Promise<Values | undefined> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    const gathered = keys;
    keys = [];
    asked = undefined;
    try {
      return (await readState(gathered)).values;
    } catch (error) {
      if (error instanceof ThreadError) return undefined;
      throw error;
    }
  }

  return async (wanted) => {
    const from = keys.length;
    keys.push(...wanted);
    asked ??= ask();
    return (await asked)?.slice(from, from + wanted.length);
  };
}

/**
 * Random JSON of a form. Accounts, ids and small numbers are few, so that calls meet each other's entries; sometimes a value is at an end
 * of its range.
 */
import type { FormDescription, ScalarName } from '@slipstream/app/program';
import { to0x } from '@slipstream/primitives';
import type { SeededRandom } from '@slipstream/simulator';

/** What values of a call can name. */
export interface World {
  readonly accounts: readonly string[];
  /** Of transactions so far, the newest last. */
  readonly ids: readonly string[];
  readonly timeMs: number;
}

const SMALL = 21;
const RARELY = 0.1;
const ITEMS_MAX = 5;
const CHARACTERS_MAX = 12;
const RECENT_IDS = 40;
const HOUR_MS = 3_600_000;
const U64_MAX = 2n ** 64n - 1n;
const MAXIMA = { u8: 255, u16: 65_535, u32: 2 ** 32 - 1, timeMs: Number.MAX_SAFE_INTEGER } as const;
const LETTERS = 'abcxyz 019-é';

export function randomInput(description: FormDescription, random: SeededRandom, world: World): unknown {
  const inner = (of: FormDescription): unknown => randomInput(of, random, world);
  switch (description.form) {
    case 'text':
      return randomText(description.bytesMax, random);
    case 'bytes':
      return to0x(random.bytes(random.below(Math.min(description.bytesMax, CHARACTERS_MAX) + 1)));
    case 'oneOf':
      return random.pick(description.names);
    case 'option':
      return random.chance(0.5) ? null : inner(description.of);
    case 'list': {
      const length = random.below(Math.min(description.itemsMax, ITEMS_MAX) + 1);
      return Array.from({ length }, () => inner(description.of));
    }
    case 'record':
      return Object.fromEntries(description.fields.map(({ name, of }) => [name, inner(of)]));
    case 'choice': {
      const { name, fields } = random.pick(description.cases);
      return { kind: name, ...Object.fromEntries(fields.map((field) => [field.name, inner(field.of)])) };
    }
    default:
      return randomScalar(description.form, random, world);
  }
}

function randomScalar(name: ScalarName, random: SeededRandom, { accounts, ids, timeMs }: World): unknown {
  switch (name) {
    case 'account':
      return random.pick(accounts);
    case 'id':
      return ids.length === 0 || random.chance(RARELY) ? to0x(random.bytes(32)) : random.pick(ids.slice(-RECENT_IDS));
    case 'amount':
      return String(random.chance(RARELY) ? random.pick([0n, U64_MAX, U64_MAX - 1n]) : BigInt(random.below(SMALL)));
    case 'timeMs':
      if (random.chance(RARELY)) return random.pick([0, MAXIMA.timeMs]);
      return Math.max(0, timeMs + random.below(2 * HOUR_MS) - HOUR_MS);
    default:
      return random.chance(RARELY) ? random.pick([0, MAXIMA[name] - 1, MAXIMA[name]]) : random.below(SMALL);
  }
}

function randomText(bytesMax: number, random: SeededRandom): string {
  let text = '';
  for (let left = random.below(CHARACTERS_MAX + 1); left > 0; left--) {
    const next = text + random.pick([...LETTERS]);
    if (Buffer.byteLength(next) > bytesMax) break;
    text = next;
  }
  return text;
}

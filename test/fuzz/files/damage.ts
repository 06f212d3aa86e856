/** Damage of a file: mostly a flipped bit, sometimes a changed byte, a missing tail, a page of zeros. */
import type { SeededRandom } from '@slipstream/simulator';

export type Damage =
  | { readonly type: 'bit'; readonly at: number; readonly bit: number }
  | { readonly type: 'byte'; readonly at: number; readonly value: number }
  | { readonly type: 'tail'; readonly length: number }
  | { readonly type: 'page'; readonly from: number; readonly to: number };

const PAGE_BYTES = 4_096;
/** Half of the tails are short, ending within the last records. */
const SHORT_TAIL_BYTES = 600;

/** `length`: at least 1. */
export function drawDamage(random: SeededRandom, length: number): Damage {
  const at = random.below(length);
  switch (random.below(20)) {
    case 0:
      return { type: 'byte', at, value: random.below(256) };
    case 1:
      return { type: 'tail', length: at };
    case 2:
      return { type: 'tail', length: Math.max(0, length - 1 - random.below(SHORT_TAIL_BYTES)) };
    case 3: {
      const from = at - (at % PAGE_BYTES);
      return { type: 'page', from, to: Math.min(length, from + PAGE_BYTES) };
    }
    default:
      return { type: 'bit', at, bit: random.below(8) };
  }
}

export function damaged(bytes: Uint8Array, damage: Damage): Uint8Array {
  if (damage.type === 'tail') return bytes.slice(0, damage.length);
  const copy = bytes.slice();
  if (damage.type === 'page') copy.fill(0, damage.from, damage.to);
  else if (damage.type === 'byte') copy[damage.at] = damage.value;
  else copy[damage.at] = (copy[damage.at] as number) ^ (1 << damage.bit);
  return copy;
}

export function damageText(damage: Damage): string {
  switch (damage.type) {
    case 'bit':
      return `bit ${damage.bit} of byte ${damage.at} flipped`;
    case 'byte':
      return `byte ${damage.at} is ${damage.value}`;
    case 'tail':
      return `cut to ${damage.length} bytes`;
    case 'page':
      return `bytes ${damage.from} to ${damage.to} are zero`;
  }
}

/** First damaged byte. */
export function damageAt(damage: Damage): number {
  if (damage.type === 'tail') return damage.length;
  return damage.type === 'page' ? damage.from : damage.at;
}

/** A crash may leave it: unsynced bytes are missing or zero. No crash flips a bit. */
export function looksTorn({ type }: Damage): boolean {
  return type === 'tail' || type === 'page';
}

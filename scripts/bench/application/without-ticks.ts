/** An artifact's script as the build makes it, without its ticks: what remains is the application and its kit. */
import { STOP, TICKS } from '../../../packages/app-build/src/names.ts';

const escaped = (name: string): string => name.replaceAll('$', '\\$');
const TICK = `(?:--${escaped(TICKS)}|\\(${escaped(TICKS)}-=\\d+\\))<0`;
const STATEMENT = new RegExp(`if\\(${TICK}\\)${escaped(STOP)}\\(\\);`, 'g');
const EXPRESSION = new RegExp(`${TICK}&&${escaped(STOP)}\\(\\),`, 'g');

export interface WithoutTicks {
  readonly script: string;
  readonly removed: number;
}

/** Throws when a tick stays. */
export function withoutTicks(script: string): WithoutTicks {
  let removed = 0;
  const count = () => {
    removed += 1;
    return '';
  };
  const bare = script.replace(STATEMENT, count).replace(EXPRESSION, count);
  if (removed === 0 || bare.includes(`${STOP}()`)) throw new Error('a script has other ticks than the bench knows');
  return { script: bare, removed };
}

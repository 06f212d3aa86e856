/**
 * Decision records: one form, short, numbered without holes; cited ones exist.
 *
 *   # 0005: Title    ## Context    ## Decision    ## Consequences    ## Alternatives        cited: docs/decisions/0005, decision 0005
 */
import type { SourceFile } from './repository.ts';

export const DECISIONS = 'docs/decisions/';
export const WORDS_MAX = 500;

const SECTIONS = ['Context', 'Decision', 'Consequences', 'Alternatives'];

const isDecision = ({ path }: SourceFile): boolean => path.startsWith(DECISIONS) && path.endsWith('.md');

const numberIn = (path: string): string | undefined => /^docs\/decisions\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1];

export function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

export function findFormFaults(files: readonly SourceFile[]): readonly string[] {
  return files.filter(isDecision).flatMap(({ path, text }) => {
    const number = numberIn(path);
    if (number === undefined) return [`${path}: is not named NNNN-words.md`];
    const faults: string[] = [];
    if (!text.startsWith(`# ${number}: `)) faults.push(`${path}: does not begin with "# ${number}: "`);
    const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    if (sections.join() !== SECTIONS.join()) faults.push(`${path}: has the sections ${sections.join(', ')}`);
    const empty = text
      .split(/^## .+$/m)
      .slice(1)
      .some((section) => section.trim() === '');
    if (empty) faults.push(`${path}: has an empty section`);
    const words = wordsIn(text);
    if (words > WORDS_MAX) faults.push(`${path}: has ${words} words, at most ${WORDS_MAX}`);
    return faults;
  });
}

export function findNumberFaults(files: readonly SourceFile[]): readonly string[] {
  const numbers = files
    .filter(isDecision)
    .flatMap(({ path }) => numberIn(path) ?? [])
    .sort();
  return numbers.flatMap((number, i) =>
    Number(number) === i + 1 ? [] : [`${DECISIONS}${number}: stands where ${String(i + 1).padStart(4, '0')} belongs`],
  );
}

const MENTION = /\bdecisions?[/ ](\d{4})\b/gi;
/** A bare number does not say that it is a decision. */
const BARE = /\((\d{4}(?:, \d{4})*)\)/g;

export function findDeadMentions(files: readonly SourceFile[]): readonly string[] {
  const numbers = new Set(files.filter(isDecision).map(({ path }) => numberIn(path)));
  return files
    .filter(({ path }) => /\.(md|ts|tsx|mjs|js|yml|yaml)$/.test(path))
    .flatMap(({ path, text }) => {
      const dead = [...text.matchAll(MENTION)].filter(([, number]) => !numbers.has(number));
      const bare = path.endsWith('.md') ? [...text.matchAll(BARE)].filter(([, list]) => list?.startsWith('00')) : [];
      return [
        ...dead.map(([mention]) => `${path}: ${mention} does not exist`),
        ...bare.map(([mention]) => `${path}: ${mention} is to be written as "decision ${mention.slice(1, 5)}"`),
      ];
    });
}

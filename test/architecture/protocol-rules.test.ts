import { describe, expect, it } from 'vitest';
import { classesIn, definitionsIn, findUndefined, PROTOCOL, rulesIn } from './protocol-rules.ts';
import { readRepository } from './repository.ts';

const files = readRepository();
const readme = files.find(({ path }) => path === `${PROTOCOL}README.md`)?.text ?? '';
const classes = classesIn(readme);
const definitions = definitionsIn(files);
const numbersOf = (letter: string) =>
  definitions
    .filter(({ name }) => name.startsWith(letter))
    .map(({ name }) => Number.parseInt(name.slice(letter.length), 10));

describe('the rules of docs/protocol', () => {
  it('include every rule that code, tests and documents cite', () => {
    expect(findUndefined(files)).toEqual([]);
  });

  it('are defined once each', () => {
    const names = definitions.map(({ name }) => name);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('have a reason each', () => {
    expect(definitions.filter(({ hasReason }) => !hasReason)).toEqual([]);
  });

  it('are in the document of their class', () => {
    const strayed = definitions.filter(({ name, path }) => {
      const home = name.startsWith('rule ') ? `${PROTOCOL}consensus.md` : classes.get(name[0] ?? '');
      return path !== home;
    });
    expect(strayed).toEqual([]);
  });

  it.each(['rule ', ...classes.keys()])('of the class "%s" are numbered in order, without holes', (letter) => {
    const numbers = [...new Set(numbersOf(letter))];
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  });

  it('are too few to reach the name of the JavaScript engine', () => {
    expect(Math.max(...numbersOf('V'))).toBeLessThan(8);
  });
});

/** In parts, because this file is checked too. */
const cite = (...parts: readonly string[]): string => parts.join('');

describe('a citation', () => {
  it.each([
    [cite('as ru', 'le 4a, it says'), ['rule 4a']],
    [cite('(Ru', 'les 6, 7 and 8)'), ['rule 6', 'rule 7', 'rule 8']],
    [cite('ru', 'les 6 to 8'), ['rule 6', 'rule 8', 'rule 7']],
    [cite('ru', "le 3's confirmation"), ['rule 3']],
    [cite('I', '3, and P', '1 to P', '3'), ['P1', 'P2', 'P3', 'I3']],
    ['V8 runs it', []],
    ['%D3%A0, C1, K8s, W3C, X25519, noise.I2, P2P', []],
  ])('%s is of %j', (text, rules) => {
    expect(rulesIn(text, 'IPVDKWX').toSorted()).toEqual(rules.toSorted());
  });
});

describe('the checker of citations', () => {
  const book = [
    { path: `${PROTOCOL}README.md`, text: '| I | consensus.md | invariants |\n' },
    { path: `${PROTOCOL}consensus.md`, text: '# Consensus\n\n## Timers\n\n| **I1** | one vote | Safety: two |\n' },
  ];
  const found = (path: string, text: string) => findUndefined([...book, { path, text }]);

  it('reads comments, strings and documents', () => {
    expect(found('packages/wal/src/a.ts', cite('/** Holds I', '2. */\nexport const a = 1;\n'))).toHaveLength(1);
    expect(found('packages/wal/src/a.ts', cite("export const a = 'breaks I", "2';\n"))).toHaveLength(1);
    expect(found('docs/x.md', cite('It holds I', '2.\n'))).toHaveLength(1);
    expect(found('docs/x.md', cite('As ru', 'le 1 says.\n'))).toHaveLength(1);
    expect(found('packages/wal/src/a.ts', cite('// of ru', 'les 1\n// and 2\nexport const a = 1;\n'))).toHaveLength(2);
  });

  it('reads a cited heading from the document', () => {
    expect(found('docs/x.md', '(consensus.md, "Timers")\n')).toEqual([]);
    expect(found('docs/x.md', cite('(consensus.md, "Tim', 'es")\n'))).toHaveLength(1);
  });

  it('ignores code, markup and definitions', () => {
    expect(found('packages/wal/src/a.ts', cite('/** Holds I', '1. */\nexport const I', '2 = 1;\n'))).toEqual([]);
    expect(found('console/src/a.tsx', cite('export const a = <path d="M1 ', 'I', '9" />;\n'))).toEqual([]);
    expect(found('docs/x.md', cite('`I', '2`\n\n    I', '2\n'))).toEqual([]);
  });
});

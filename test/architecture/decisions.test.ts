import { describe, expect, it } from 'vitest';
import { DECISIONS, findDeadMentions, findFormFaults, findNumberFaults, WORDS_MAX } from './decisions.ts';
import { readRepository } from './repository.ts';

const files = readRepository();

describe('decision records', () => {
  it('have one form', () => {
    expect(files.filter(({ path }) => path.startsWith(DECISIONS)).length).toBeGreaterThan(20);
    expect(findFormFaults(files)).toEqual([]);
  });

  it('are numbered without holes', () => {
    expect(findNumberFaults(files)).toEqual([]);
  });

  it('exist where they are cited', () => {
    expect(findDeadMentions(files)).toEqual([]);
  });
});

describe('the checkers of decisions', () => {
  const path = `${DECISIONS}0001-a.md`;
  const sound = '# 0001: A\n\n## Context\n\na\n\n## Decision\n\nb\n\n## Consequences\n\nc\n\n## Alternatives\n\nd\n';

  it('accept a valid record', () => {
    expect(findFormFaults([{ path, text: sound }])).toEqual([]);
  });

  it.each([
    sound.replace('# 0001: A', '# 0002: A'),
    sound.replace('## Context', '## Why'),
    sound.replace('\nd\n', ''),
    `${sound}${'word '.repeat(WORDS_MAX)}`,
  ])('refuse what has another form (%#)', (text) => {
    expect(findFormFaults([{ path, text }])).toHaveLength(1);
  });

  it('find gaps and duplicate numbers', () => {
    const at = (name: string) => ({ path: `${DECISIONS}${name}.md`, text: sound });
    expect(findNumberFaults([at('0001-a'), at('0003-b')])).toHaveLength(1);
    expect(findNumberFaults([at('0001-a'), at('0001-b')])).toHaveLength(1);
  });

  it('find citations of missing records, and bare numbers', () => {
    const mention = (text: string) =>
      findDeadMentions([
        { path, text: sound },
        { path: 'docs/x.md', text },
      ]);
    expect(mention(`as in docs/${'decisions'}/0001`)).toEqual([]);
    expect(mention(`as in docs/${'decisions'}/0002`)).toHaveLength(1);
    expect(mention(`as in ${'decision'} 0002`)).toHaveLength(1);
    expect(mention('as was said (0001)')).toHaveLength(1);
  });
});

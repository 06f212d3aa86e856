import { describe, expect, it } from 'vitest';
import { type BuildError, type Lock, readLock, writeLock } from '../src/index.ts';
import { extendLock } from '../src/lock-file.ts';

const LOCK: Lock = {
  application: 'token',
  tables: { supply: 2, balances: 0, allowances: 1 },
  actions: { transfer: 0 },
  events: {},
};
const TEXT = writeLock(LOCK);

/** What the lock file needs of a manifest. */
function manifestWith(tables: Readonly<Record<string, number>>, name = 'token') {
  const numbered = Object.entries(tables).map(([table, number]) => ({ name: table, number }));
  return { name, tables: numbered, actions: [{ name: 'transfer', number: 0 }], events: [] } as unknown as Parameters<
    typeof extendLock
  >[2];
}

function errorOf(work: () => unknown): BuildError {
  try {
    work();
  } catch (error) {
    return error as BuildError;
  }
  throw new Error('it did not throw');
}

describe('a lock file', () => {
  it('is read as it was written, in the order of numbers', () => {
    expect(readLock('token.lock.json', TEXT)).toEqual(LOCK);
    expect(Object.keys(JSON.parse(TEXT).tables)).toEqual(['balances', 'allowances', 'supply']);
    expect(TEXT.endsWith('}\n')).toBe(true);
  });

  it.each([
    ['a number', TEXT.replace('"supply": 2', '"supply": 3')],
    ['a name', TEXT.replace('"transfer"', '"move"')],
    ['a line', TEXT.replace('    "balances": 0,\n', '')],
    ['its application', TEXT.replace('"token"', '"coins"')],
  ])('is refused where %s was edited', (_what, text) => {
    const error = errorOf(() => readLock('token.lock.json', text));
    expect(error.code).toBe('lock-edited');
    expect(error.message).toMatch(/^token\.lock\.json: was edited .* restore it from version control/);
  });

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{}',
    TEXT.replace('"supply": 2', '"supply": "2"'),
    TEXT.replace('"events"', '"more"'),
  ])('is refused where it is none: %s', (text) => {
    expect(errorOf(() => readLock('token.lock.json', text)).code).toBe('lock-malformed');
  });

  it('gets new numbers, and retains those whose names are gone', () => {
    const extended = extendLock('token.lock.json', LOCK, manifestWith({ balances: 0, supply: 2, owners: 3 }));
    expect(extended.tables).toEqual({ balances: 0, allowances: 1, supply: 2, owners: 3 });
    expect(extendLock('token.lock.json', undefined, manifestWith({ a: 0 })).tables).toEqual({ a: 0 });
  });

  it.each([
    ['table supply has number 2 and would get 3', { balances: 0, supply: 3 }],
    ['table owners would get number 1, which belongs to allowances', { balances: 0, owners: 1 }],
  ])('lets no number change: %s', (reason, tables) => {
    const error = errorOf(() => extendLock('token.lock.json', LOCK, manifestWith(tables)));
    expect(error.code).toBe('number-changed');
    expect(error.message).toContain(`token.lock.json: ${reason}; `);
  });

  it('of another application is refused', () => {
    const error = errorOf(() => extendLock('token.lock.json', LOCK, manifestWith({}, 'coins')));
    expect(error.message).toContain('is the lock file of token, not of coins');
  });
});

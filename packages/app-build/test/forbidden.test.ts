import { describe, expect, it } from 'vitest';
import { BuildError, buildApplication, checkSource, RULES } from '../src/index.ts';
import { FORBIDDEN } from './forbidden.ts';
import { fileWith, sourceWith } from './sources.ts';

const lineOfMark = (text: string) => text.split('\n').findIndex((line) => line.includes('// here')) + 1;

async function errorOf(work: Promise<unknown>): Promise<BuildError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof BuildError) return error;
  throw new Error(`expected a BuildError, got ${error}`);
}

describe('the build refuses', () => {
  it.each(FORBIDDEN)('$rule: $code', async ({ rule, code, says }) => {
    const source = sourceWith(code);
    const error = await errorOf(buildApplication(await fileWith(code)));
    expect(error.code).toBe('forbidden');
    const start = `app.ts:${lineOfMark(source)}: `;
    const end = ` is not allowed; ${RULES[rule].remedy}`;
    const lines = error.message.split('\n').filter((each) => each.startsWith(start) && each.endsWith(end));
    const line = lines.find((each) => each.includes(says));
    expect(line, error.message).toBeDefined();
    expect(error.data.findings).toContainEqual({ file: 'app.ts', line: lineOfMark(source), rule, message: line });
  });

  it('every rule has a case', () => {
    const covered = new Set(FORBIDDEN.map(({ rule }) => rule));
    expect(Object.keys(RULES).filter((rule) => !covered.has(rule as keyof typeof RULES))).toEqual([]);
    expect(covered.size).toBeGreaterThanOrEqual(30);
  });

  it('all places of one build, in other files too, by file and line', async () => {
    const code = "import './other.ts';\nexport let a = 1;\nexport const b = 0.5;";
    const error = await errorOf(buildApplication(await fileWith(code, { 'other.ts': '\nexport const d = Date;\n' })));
    const places = error.message.split('\n').slice(1);
    expect(places.map((line) => line.slice(0, line.indexOf(': ')))).toEqual(['app.ts:3', 'app.ts:4', 'other.ts:2']);
  });

  it('what does not parse, with its line', async () => {
    const error = await errorOf(buildApplication(await fileWith('const a = ;')));
    expect(error.code).toBe('forbidden');
    expect(error.message).toMatch(/app\.ts:2: .*; write TypeScript/);
  });
});

describe('the checks accept', () => {
  const ACCEPTED: readonly string[] = [
    'type A = Promise<Date>; export interface B { readonly at: Date; process(): RegExp }',
    'export const f = (Date: number, process: string) => Date + process.length;',
    "import type { A } from 'left-pad'; export const f = (a: A) => a;",
    'export function f(list: number[]) { let sum = 0; for (const x of list) sum += x; return sum; }',
    'export function f(x) { const seen = new Map(); seen.set(x, 1); const list = []; list.push(x); return list.length; }',
    'export const sides = { buy: 1, sell: 2 }; export const list = [1, 2, 3] as const;',
    'export const o = { Date: 1, process: 2, eval: 3 }; export const p = o.Date + o.process;',
    'export const f = (memory) => { memory.a = 1; }; export const memory = {};',
    'export const f = () => Math.floor(7 / 2) + Number(5n) + 2 * 3;',
    'outer: for (const a of [1]) for (const b of [2]) if (a < b) continue outer;',
    'export class A { readonly b = 1; constructor(readonly c: number) {} add(d: number) { return this.b + this.c + d; } }',
    'export class A { seen = new Map(); }',
    "export { f } from './other.ts'; export * as other from './other.ts';",
    'export const f = (x: unknown) => (x as Date) satisfies unknown;',
    "export const f = (x) => ({ ...x, status: 'open' }); export const g = ([a, b] = [1, 2], { c } = { c: 3 }) => a + b + c;",
    'declare const later: Promise<number>; export type Later = typeof later;',
    'for (let i = 0; i < 3; i++) [i].map((x) => x);',
    'export const f = (x) => new Uint8Array(32).length + new Uint8Array([1, 2]).length + x.length;',
  ];

  it.each(ACCEPTED)('%s', (code) => {
    expect(checkSource('app.ts', sourceWith(code)).map(({ message }) => message)).toEqual([]);
  });
});

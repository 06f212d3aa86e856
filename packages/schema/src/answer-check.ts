/**
 * Judges a node's answer by the schema of its route. A list is judged item by item: one that this version does not understand hides no
 * other.
 */
import { ok, type Result } from '@slipstream/primitives';
import { type TObject, type TSchema, Type } from 'typebox';
import { BatchResultSchema, TRANSACTION_STATUSES } from './answers.ts';
import { type Check, createCheck } from './check.ts';
import type { ProblemFault } from './problem.ts';
import { type AnswerOf, ROUTE_TABLE, type RouteName } from './routes/index.ts';
import { ID_PATTERN } from './scalars.ts';

/** Left out of its list. */
export interface MalformedItem {
  /** Its position in the node's list, from 1. */
  readonly item: number;
  readonly fault: string;
}

/** An answer with `items`: the well-formed ones, and what is wrong with the others. */
export type Listed<A> = A & { readonly malformed: readonly MalformedItem[] };

export type CheckedAnswer<N extends RouteName> =
  AnswerOf<N> extends { readonly items: readonly unknown[] } ? Listed<AnswerOf<N>> : AnswerOf<N>;

/** Built at first use: a client uses few routes. */
const CHECKS = new Map<TSchema, Check<unknown>>();
/** Of routes whose answer is not described. */
const ANY_OBJECT = Type.Object({});

/** The value is a CheckedAnswer. */
export function checkAnswer(name: RouteName, status: number, json: unknown): Result<unknown, readonly ProblemFault[]> {
  const { answers } = ROUTE_TABLE[name];
  const schema = answers[status] ?? answers[200] ?? ANY_OBJECT;
  const check = CHECKS.get(schema) ?? answerCheck(schema);
  CHECKS.set(schema, check);
  return check(json);
}

export function faultsText(faults: readonly ProblemFault[]): string {
  return faults.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
}

export function splitItems<T>(items: readonly unknown[], check: Check<T>): Listed<{ readonly items: readonly T[] }> {
  const wellFormed: T[] = [];
  const malformed: MalformedItem[] = [];
  for (const [at, item] of items.entries()) {
    const checked = check(item);
    if (checked.ok) wellFormed.push(checked.value);
    else malformed.push({ item: at + 1, fault: faultsText(checked.error) });
  }
  return { items: wellFormed, malformed };
}

function answerCheck(schema: TSchema): Check<unknown> {
  if (schema === BatchResultSchema) return createBatchCheck();
  const { properties } = schema as Partial<TObject>;
  const itemSchema = (properties?.items as { readonly items?: TSchema } | undefined)?.items;
  if (properties === undefined || itemSchema === undefined) return createCheck(schema);
  const checkList = createCheck(Type.Object({ ...properties, items: Type.Array(Type.Unknown()) }));
  const checkItem = createCheck(itemSchema);
  return (json) => {
    const list = checkList(json);
    return list.ok ? ok({ ...list.value, ...splitItems(list.value.items, checkItem) }) : list;
  };
}

/** Results of accepted transactions pass without the interpreter, which costs a busy client more than all else about them. */
function createBatchCheck(): Check<unknown> {
  const check = createCheck(BatchResultSchema);
  const id = new RegExp(ID_PATTERN);
  const statuses: ReadonlySet<unknown> = new Set(TRANSACTION_STATUSES);
  const isAccepted = (result: unknown) => {
    const { ok: accepted, id: text, status } = (result ?? {}) as Readonly<Record<string, unknown>>;
    return accepted === true && typeof text === 'string' && id.test(text) && statuses.has(status);
  };
  return (json) => {
    const { results } = (json ?? {}) as { readonly results?: unknown };
    return Array.isArray(results) && results.every(isAccepted) ? ok(json) : check(json);
  };
}

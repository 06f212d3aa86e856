/**
 * Definitions of built-in actions, as data. Codec and JSON (forms.ts), schema (packages/schema), layout (docs/protocol/wire-formats.md) and limits
 * follow from the fields; fee units stand beside them.
 */
import { type FieldDescription, type Fields, fieldsOf, type JsonsOf, type ValuesOf } from '../forms/description.ts';
import type { Units } from '../units.ts';

declare const types: unique symbol;

export interface ActionDefinition<A = unknown, J = unknown> {
  readonly kind: string;
  /** Never reused. */
  readonly tag: number;
  /** Of the schema. */
  readonly title: string;
  readonly about: string;
  readonly fields: readonly FieldDescription[];
  /** Where they are other ones in bytes. */
  readonly inBytes?: InBytes<A>;
  /** Further properties that its JSON may have. */
  readonly unread?: readonly string[];
  /** Upper bounds without bandwidth. Missing: fee-units.ts. */
  units?(action: A): Units;
  readonly [types]?: { readonly action: A; readonly json: J };
}

interface InBytes<A> {
  readonly fields: readonly FieldDescription[];
  of(action: A): { readonly [name: string]: unknown };
  /** Throws RangeError. */
  from(fields: never): A;
}

export type ActionOf<D> = D extends { readonly [types]?: { readonly action: infer A } } ? A : never;
export type ActionJsonOf<D> = D extends { readonly [types]?: { readonly json: infer J } } ? J : never;

type ActionWith<K extends string, F extends Fields> = { readonly kind: K } & ValuesOf<F>;
type JsonWith<K extends string, F extends Fields> = { readonly kind: K } & JsonsOf<F>;

export function defineAction<const K extends string, F extends Fields>({
  fields,
  ...rest
}: {
  readonly kind: K;
  readonly tag: number;
  readonly title: string;
  readonly about: string;
  readonly fields: F;
  readonly unread?: readonly string[];
  units?(action: ActionWith<K, F>): Units;
}): ActionDefinition<ActionWith<K, F>, JsonWith<K, F>> {
  return { ...rest, fields: fieldsOf(fields) };
}

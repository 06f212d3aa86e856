/**
 * Fields of built-in actions as data. Bytes and JSON (form-of.ts), schemas (packages/schema) and the tables of docs/protocol/wire-formats.md
 * follow from them. Apart from form-of.ts, so that a page that only checks JSON loads no codecs.
 */
import type { PeerKey } from '@slipstream/primitives';
import type { AccountKey } from '../account.ts';
import { BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES, ED25519_PUBLIC_KEY_BYTES } from '../limits.ts';
import { GRANTABLE_ACTIONS } from '../session/scope.ts';

export type Description = (
  | { readonly form: 'u16' | 'u32' | 'timeMs' | 'amount' | 'account' | 'id' | 'peerKey' }
  | { readonly form: 'fixedBytes'; readonly bytes: number }
  | { readonly form: 'bytes'; readonly bytesMax: number }
  | { readonly form: 'text'; readonly bytesMin: number; readonly bytesMax: number; readonly rule?: TextRule }
  | { readonly form: 'oneOf'; readonly names: readonly string[] }
  /** Bits of a u32, names in JSON. */
  | { readonly form: 'scope'; readonly names: readonly string[] }
  | { readonly form: 'list'; readonly of: Description; readonly itemsMin: number; readonly itemsMax: number }
  | { readonly form: 'record'; readonly fields: readonly FieldDescription[] }
  /** Serialized in JSON. */
  | { readonly form: 'handover'; readonly bytesMax: number }
  /** Of a proposal: epochs/changes.ts. */
  | { readonly form: 'change' }
) &
  Documented;

interface Documented {
  /** Its name in docs/protocol/wire-formats.md. */
  readonly name?: string;
  /** For readers of the schema. */
  readonly about?: string;
  readonly example?: string;
}

export type TextRule = 'application' | 'nodeAddress';

export interface FieldDescription {
  readonly name: string;
  readonly of: Description;
  /** May be missing in JSON. */
  readonly optional?: true;
}

declare const types: unique symbol;

/** With the types of its values and their JSON. */
export type Described<T, J> = Description & { readonly [types]?: { readonly value: T; readonly json: J } };
export type Fields = { readonly [name: string]: Described<unknown, unknown> };

export type ValueOf<D> = D extends { readonly [types]?: { readonly value: infer T } } ? T : never;
export type JsonOf<D> = D extends { readonly [types]?: { readonly json: infer J } } ? J : never;
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> };
export type JsonsOf<F extends Fields> = { readonly [K in keyof F]: JsonOf<F[K]> };

export const u16: Described<number, number> = { form: 'u16' };
export const u32: Described<number, number> = { form: 'u32' };
/** Since 1970. */
export const timeMs: Described<number, number> = { form: 'timeMs' };
export const amount: Described<bigint, string> = { form: 'amount' };
export const account: Described<AccountKey, string> = { form: 'account', name: 'account key' };
export const peerKey: Described<PeerKey, string> = { form: 'peerKey', about: 'Network key.' };
export const blsKey = fixedBytes(BLS_PUBLIC_KEY_BYTES, 'BLS12-381 public key, compressed.');
export const keySignature = fixedBytes(BLS_AGGREGATE_BYTES, 'Of the BLS key, compressed.');
export const sessionKey = fixedBytes(ED25519_PUBLIC_KEY_BYTES, 'Ed25519 public key.');
export const scope: Described<number, readonly string[]> = {
  form: 'scope',
  names: Object.keys(GRANTABLE_ACTIONS),
  about: 'The actions that it may carry out.',
};

/** A hash. */
export function id<T extends Uint8Array>(): Described<T, string> {
  return { form: 'id' };
}

export function fixedBytes(bytes: number, about: string): Described<Uint8Array, string> {
  return { form: 'fixedBytes', bytes, about };
}

export function bytes(bytesMax: number, documented: Documented = {}): Described<Uint8Array, string> {
  return { form: 'bytes', bytesMax, ...documented };
}

/** Sizes are of UTF-8. */
export function text(
  of: { readonly bytesMin?: number; readonly bytesMax: number; readonly rule?: TextRule } & Documented,
): Described<string, string> {
  return { form: 'text', bytesMin: 0, ...of };
}

/** A byte: the place in the list. */
export function oneOf<const N extends readonly string[]>(...names: N): Described<N[number], N[number]> {
  return { form: 'oneOf', names };
}

/** `min`: 0 when missing. */
export function list<T, J>(
  of: Described<T, J>,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): Described<readonly T[], readonly J[]> {
  return { form: 'list', of, itemsMin: min, itemsMax: max };
}

export function record<F extends Fields>(fields: F, documented: Documented = {}): Described<ValuesOf<F>, JsonsOf<F>> {
  return { form: 'record', fields: fieldsOf(fields), ...documented };
}

export function fieldsOf(fields: Fields): readonly FieldDescription[] {
  return Object.entries(fields).map(([name, of]) => ({ name, of }));
}

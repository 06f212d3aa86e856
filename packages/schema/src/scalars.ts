/**
 * Scalars in JSON. 64-bit amounts, prices and units are decimal strings; heights, views and times (below 2^53) are numbers; bytes are 0x
 * and lower-case hexadecimal.
 */
import { type Static, type TSchema, Type } from 'typebox';

/** Values of a schema, deeply readonly. */
export type Json<S extends TSchema> = DeepReadonly<Static<S>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

const EXAMPLE_ID = '0x5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02';
const EXAMPLE_ACCOUNT = `0x01${'3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29'}`;

const AMOUNT_MAX_TEXT = (2n ** 64n - 1n).toString();

/** From 0 to `max`: shorter numbers, those with a smaller digit, and `max`. Without anchors. */
function upTo(max: string): string {
  const smaller = [...max].flatMap((digit, at) => {
    const least = at === 0 ? 1 : 0;
    if (Number(digit) <= least) return [];
    const left = max.length - at - 1;
    return [`${max.slice(0, at)}[${least}-${Number(digit) - 1}]${left === 0 ? '' : `[0-9]{${left}}`}`];
  });
  return `0|[1-9][0-9]{0,${max.length - 2}}|${[...smaller, max].join('|')}`;
}

/** Larger numbers would be cut to the width of their fields. */
export const UINT16_MAX = 2 ** 16 - 1;
export const UINT32_MAX = 2 ** 32 - 1;

/** Of a number below 2^32, without anchors. */
export const UINT32_PATTERN = upTo(String(UINT32_MAX));

/** A schema's `title` names its component in OpenAPI. */
export const Amount = Type.String({
  title: 'Amount',
  description: 'A decimal number from 0 to 2^64 - 1.',
  pattern: `^(${upTo(AMOUNT_MAX_TEXT)})$`,
  examples: ['1000'],
});

export const ID_PATTERN = '^0x[0-9a-f]{64}$';

export const Id = Type.String({
  title: 'Id',
  description: '32 bytes.',
  pattern: ID_PATTERN,
  examples: [EXAMPLE_ID],
});

export const Account = Type.String({
  title: 'Account',
  description:
    'An account key: one byte for the scheme, then 32 bytes: 01 and an Ed25519 public key, 02 and a pseudonym, 03 and a purse of an application.',
  pattern: '^0x0[123][0-9a-f]{64}$',
  examples: [EXAMPLE_ACCOUNT],
});

/** Of one request: as many as a page has, within the bytes of a request's head. */
export const MANY_ACCOUNTS_MAX = 100;

export const PeerId = Type.String({
  title: 'PeerId',
  description: "A node's Ed25519 public key.",
  pattern: '^0x[0-9a-f]{64}$',
  examples: [EXAMPLE_ID],
});

export const Bytes = Type.String({ title: 'Bytes', pattern: '^0x([0-9a-f]{2})*$', examples: ['0x00ff'] });

export function fixedBytes(length: number, description: string) {
  return Type.String({ description, pattern: `^0x[0-9a-f]{${2 * length}}$`, examples: [`0x${'0b'.repeat(length)}`] });
}

const COUNT_MAX = Number.MAX_SAFE_INTEGER;

export function count(description: string, maximum = COUNT_MAX) {
  return Type.Integer({ description, minimum: 0, maximum, examples: [1] });
}

export const EPOCH_MAX = 2 ** 32 - 1;

export const Height = Type.Integer({
  title: 'Height',
  description: "A block's distance from genesis.",
  minimum: 0,
  maximum: COUNT_MAX,
  examples: [42],
});

export const View = Type.Integer({
  title: 'View',
  description: 'A round of consensus.',
  minimum: 0,
  maximum: COUNT_MAX,
  examples: [45],
});

export const TimeMs = Type.Integer({
  title: 'TimeMs',
  description: 'Milliseconds since 1970.',
  minimum: 0,
  maximum: COUNT_MAX,
  examples: [1_790_000_000_000],
});

export const DurationMs = Type.Number({
  title: 'DurationMs',
  description: 'Milliseconds; fractions allowed.',
  minimum: 0,
  examples: [12.5],
});

/** Callers return it unchanged. */
export const Cursor = Type.String({ title: 'Cursor', pattern: '^[0-9A-Za-z_-]{1,128}$', examples: ['41'] });

export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

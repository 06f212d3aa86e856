/** Random forms with values of theirs, and the same type in the SSZ library that the node uses. */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  ListBasicType,
  ListCompositeType,
  NoneType,
  type Type,
  UintBigintType,
  UintNumberType,
  UnionType,
} from '@chainsafe/ssz';
import fc from 'fast-check';
import type { KeyForm } from '../src/forms/form.ts';
import {
  type Account,
  account,
  amount,
  bytes,
  choice,
  type Form,
  type Id,
  id,
  list,
  oneOf,
  option,
  record,
  text,
  timeMs,
  u8,
  u16,
  u32,
} from '../src/index.ts';

export interface Sample {
  readonly form: Form<unknown>;
  readonly value: fc.Arbitrary<unknown>;
  readonly ssz: Type<unknown>;
  /** A value as the library has it. */
  toSsz(value: unknown): unknown;
}

export interface KeySample extends Sample {
  readonly form: KeyForm<unknown>;
}

const latin = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const byteText = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((all) => String.fromCharCode(...all));
const same = (value: unknown) => value;
const uint = (form: KeyForm<number>, size: 1 | 2 | 4 | 8, max: number): KeySample => ({
  form,
  value: fc.oneof(fc.nat(max > 2 ** 31 ? 2 ** 31 - 1 : max), fc.constantFrom(0, 1, max)),
  ssz: new UintNumberType(size) as Type<unknown>,
  toSsz: same,
});

export const AMOUNT_MAX = 2n ** 64n - 1n;
const NAMES = ['buy', 'sell', 'not-open'] as const;
const TEXT_BYTES = 12;

export const scalars: readonly KeySample[] = [
  uint(u8, 1, 255),
  uint(u16, 2, 65_535),
  uint(u32, 4, 2 ** 32 - 1),
  uint(timeMs, 8, Number.MAX_SAFE_INTEGER),
  {
    form: amount,
    value: fc.oneof(fc.bigInt(0n, AMOUNT_MAX), fc.constantFrom(0n, 1n, 2n ** 32n - 1n, 2n ** 32n, AMOUNT_MAX)),
    ssz: new UintBigintType(8) as Type<unknown>,
    toSsz: same,
  },
  {
    form: account,
    value: byteText(33),
    ssz: new ByteVectorType(33) as Type<unknown>,
    toSsz: (value) => latin(value as Account),
  },
  { form: id, value: byteText(32), ssz: new ByteVectorType(32) as Type<unknown>, toSsz: (value) => latin(value as Id) },
  {
    form: oneOf(...NAMES),
    value: fc.constantFrom(...NAMES),
    ssz: new UintNumberType(1) as Type<unknown>,
    toSsz: (value) => NAMES.indexOf(value as (typeof NAMES)[number]),
  },
  {
    form: text(TEXT_BYTES),
    value: fc.string({ unit: 'grapheme', maxLength: 6 }).filter((each) => Buffer.byteLength(each) <= TEXT_BYTES),
    ssz: new ByteListType(TEXT_BYTES) as Type<unknown>,
    toSsz: (value) => new Uint8Array(Buffer.from(value as string)),
  },
  {
    form: bytes(9),
    value: fc.uint8Array({ maxLength: 9 }),
    ssz: new ByteListType(9) as Type<unknown>,
    toSsz: same,
  },
];

const ITEMS_MAX = 5;

function listOf({ form, value, ssz, toSsz }: Sample): Sample {
  const type = ssz as never;
  return {
    form: list(form, ITEMS_MAX),
    value: fc.array(value, { maxLength: ITEMS_MAX }),
    ssz: (isBasic(ssz) ? new ListBasicType(type, ITEMS_MAX) : new ListCompositeType(type, ITEMS_MAX)) as Type<unknown>,
    toSsz: (items) => (items as readonly unknown[]).map(toSsz),
  };
}

const isBasic = (ssz: Type<unknown>) => ssz instanceof UintNumberType || ssz instanceof UintBigintType;

function optionOf({ form, value, ssz, toSsz }: Sample): Sample {
  return {
    form: option(form),
    value: fc.option(value, { nil: undefined }),
    ssz: new UnionType([new NoneType(), ssz as never]) as Type<unknown>,
    toSsz: (some) => (some === undefined ? { selector: 0, value: null } : { selector: 1, value: toSsz(some) }),
  };
}

const fieldsOf = (samples: readonly Sample[]) => samples.map((sample, i) => [`field${i}`, sample] as const);
const mapped = <T>(samples: readonly Sample[], pick: (sample: Sample) => T) =>
  Object.fromEntries(fieldsOf(samples).map(([name, sample]) => [name, pick(sample)]));

function recordOf(samples: readonly Sample[]): Sample {
  return {
    form: record(mapped(samples, ({ form }) => form)),
    value: fc.record(mapped(samples, ({ value }) => value)),
    ssz: new ContainerType(mapped(samples, ({ ssz }) => ssz)) as Type<unknown>,
    toSsz: (value) =>
      Object.fromEntries(
        fieldsOf(samples).map(([name, { toSsz }]) => [name, toSsz((value as Record<string, unknown>)[name])]),
      ),
  };
}

function choiceOf(samples: readonly Sample[]): Sample {
  const cases = samples.map((sample, i) => ({ kind: `case${i}`, body: recordOf([sample]), sample }));
  return {
    form: choice(Object.fromEntries(cases.map(({ kind, sample }) => [kind, { field0: sample.form }]))) as Form<unknown>,
    value: fc.oneof(
      ...cases.map(({ kind, body }) => body.value.map((value) => ({ kind, ...(value as Record<string, unknown>) }))),
    ),
    ssz: new UnionType(cases.map(({ body }) => body.ssz as never)) as Type<unknown>,
    toSsz(value) {
      const selector = cases.findIndex(({ kind }) => kind === (value as { readonly kind: string }).kind);
      return { selector, value: cases[selector]?.body.toSsz(value) };
    },
  };
}

/** Forms nested up to three deep. */
export const samples: fc.Arbitrary<Sample> = fc.letrec<{ all: Sample }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Sample>(...scalars),
    // A union of nothing and a union is no form, and the library has none inside another union.
    tie('all')
      .filter(({ form }) => !isUnion(form))
      .map(optionOf),
    tie('all').map(listOf),
    fc.array(tie('all'), { minLength: 1, maxLength: 4 }).map(recordOf),
    fc.array(tie('all'), { minLength: 1, maxLength: 3 }).map(choiceOf),
  ),
})).all;

const isUnion = ({ description }: Form<unknown>) => description.form === 'option' || description.form === 'choice';

/** A random form and one of its values. */
export const samplesWithValues = samples.chain((sample) => sample.value.map((value) => ({ sample, value })));

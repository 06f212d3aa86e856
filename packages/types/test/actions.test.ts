/** Built-in actions: their bytes are those of the SSZ library and of recorded vectors, and each value has one encoding. */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  fromHex,
  ListCompositeType,
  to0x,
  UintBigintType,
  UintNumberType,
  utf8,
} from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT_SCHEMES,
  ACTIONS,
  type AccountKey,
  type Action,
  type ActionDefinition,
  type ActionKind,
  actionFromJson,
  actionFromWire,
  actionToJson,
  actionToWire,
  changeToWire,
  changeType,
  type Description,
  EVIDENCE_TYPES,
  type FieldDescription,
  GRANTABLE_ACTIONS,
  type Handover,
  handoverToWire,
  handoverType,
} from '../src/index.ts';
import { ACTION_SAMPLES, damage } from './action-samples.ts';
import ACTION_VECTORS from './action-vectors.json' with { type: 'json' };

type AnyType = ConstructorParameters<typeof ContainerType>[0][string];

/** A type of the SSZ library, and how it takes values. */
interface Ssz {
  readonly type: AnyType;
  of(value: never): unknown;
}

function sszOfFields(fields: readonly FieldDescription[]): Ssz {
  const parts = fields.map(({ name, of }) => [name, sszOf(of)] as const);
  return {
    type: new ContainerType(Object.fromEntries(parts.map(([name, { type }]) => [name, type]))) as AnyType,
    of: (value: Readonly<Record<string, never>>) =>
      Object.fromEntries(parts.map(([name, part]) => [name, part.of(value[name] as never)])),
  };
}

const same = (value: unknown) => value;

function sszOf(form: Description): Ssz {
  switch (form.form) {
    case 'u16':
      return { type: new UintNumberType(2), of: same };
    case 'u32':
    case 'scope':
      return { type: new UintNumberType(4), of: same };
    case 'oneOf':
      return { type: new UintNumberType(1), of: (value) => EVIDENCE_TYPES.indexOf(value) };
    case 'timeMs':
      return { type: new UintNumberType(8), of: same };
    case 'amount':
      return { type: new UintBigintType(8), of: same };
    case 'account':
      return {
        type: new ContainerType({ scheme: new UintNumberType(1), bytes: new ByteListType(48) }) as AnyType,
        of: ({ scheme, bytes }: AccountKey) => ({ scheme: ACCOUNT_SCHEMES[scheme], bytes }),
      };
    case 'id':
      return { type: new ByteVectorType(32), of: same };
    case 'fixedBytes':
      return { type: new ByteVectorType(form.bytes), of: same };
    case 'peerKey':
      return { type: new ByteVectorType(32), of: fromHex };
    case 'bytes':
      return { type: new ByteListType(form.bytesMax), of: same };
    case 'text':
      return { type: new ByteListType(form.bytesMax), of: utf8 };
    case 'list': {
      const { type, of } = sszOf(form.of);
      return {
        type: new ListCompositeType(type as never, form.itemsMax) as AnyType,
        of: (value: readonly never[]) => value.map(of),
      };
    }
    case 'record':
      return sszOfFields(form.fields);
    case 'handover':
      return { type: handoverType as AnyType, of: (value: Handover) => handoverToWire(value) };
    case 'change':
      return { type: changeType as unknown as AnyType, of: changeToWire };
  }
}

/** Fields in bytes: an issuer's root stands apart. */
function wireOf(action: Action): object {
  if (action.kind !== 'advanceIssuer') return action;
  return { ...action, expiryMs: action.root?.expiryMs ?? 0, signature: action.root?.signature ?? new Uint8Array(0) };
}

describe.each(Object.keys(ACTION_SAMPLES) as (keyof typeof ACTION_SAMPLES)[])('%s', (kind) => {
  const samples: fc.Arbitrary<Action> = ACTION_SAMPLES[kind];
  const definition: Pick<ActionDefinition, 'tag' | 'fields' | 'inBytes'> = ACTIONS[kind];
  const { tag } = definition;
  const ssz = sszOfFields(definition.inBytes?.fields ?? definition.fields);

  it('is encoded as the SSZ library does, and passes through bytes and JSON text unchanged', () => {
    fc.assert(
      fc.property(samples, (action) => {
        const { body } = actionToWire(action);
        expect(Buffer.from(body).equals(ssz.type.serialize(ssz.of(wireOf(action) as never)))).toBe(true);
        expect(actionFromWire({ tag, body })).toEqual(action);
        expect(actionFromJson(JSON.parse(JSON.stringify(actionToJson(action))), 'actions[0]')).toEqual(action);
      }),
      { numRuns: 60 },
    );
  });

  it('is refused in other bytes, or is the value that has exactly these', () => {
    fc.assert(
      fc.property(samples, fc.array(damage, { minLength: 1, maxLength: 2 }), (sound, damages) => {
        const read = damages.reduce(
          (from, damaged) => (from.length > 0 ? damaged(from) : from),
          actionToWire(sound).body,
        );
        let action: Action;
        try {
          action = actionFromWire({ tag, body: read });
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          expect((error as RangeError).message).toContain(`${kind}: `);
          return;
        }
        expect(Buffer.from(actionToWire(action).body).equals(read)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a recorded action', () => {
  it.each(ACTION_VECTORS.map((vector) => [vector.json.kind as ActionKind, vector] as const))(
    'has the same bytes and JSON as ever: %s',
    (kind, { json, body }) => {
      const action = actionFromJson(json, 'actions[0]');
      expect(to0x(actionToWire(action).body)).toBe(body);
      expect(actionToJson(actionFromWire({ tag: ACTIONS[kind].tag, body: fromHex(body) }))).toEqual(json);
    },
  );

  it('is there for each kind', () => {
    expect(new Set(ACTION_VECTORS.map(({ json }) => json.kind))).toEqual(new Set(Object.keys(ACTIONS)));
  });
});

const ALICE = `0x01${'ab'.repeat(32)}`;

describe('JSON of an action that is refused names the place and what is expected', () => {
  it.each<[string, unknown]>([
    ['actions[0]: expected an object, found 5', 5],
    ['actions[0].kind: expected a kind of action, found "steal"', { kind: 'steal' }],
    ['actions[0].kind: expected a kind of action, found "toString"', { kind: 'toString' }],
    ['actions[0].fee: there is no such field', { kind: 'transfer', to: ALICE, amount: '1', fee: '1' }],
    [
      'actions[0].amount: expected a decimal number from 0 to 2^64 - 1, found "18446744073709551616"',
      { kind: 'transfer', to: ALICE, amount: '18446744073709551616' },
    ],
    [
      'actions[0].to: expected an account: 0x, its scheme and 32 bytes, found "0x01ab"',
      { kind: 'transfer', to: '0x01ab', amount: '1' },
    ],
    ['actions[0].outputs: expected a list of 1 to 100 items, found a list', { kind: 'transferMany', outputs: [] }],
    [
      'actions[0].outputs[0].to: expected an account: 0x, its scheme and 32 bytes, found a undefined',
      { kind: 'transferMany', outputs: [{ amount: '1' }] },
    ],
    ['actions[0].name: expected text of 1 to 28 bytes in UTF-8, found ""', { kind: 'setData', name: '', value: '0x' }],
    [
      'actions[0].application: expected an application\'s name of a-z, 0-9 and -, found "Token"',
      { kind: 'call', application: 'Token', action: 0, input: '0x' },
    ],
    [
      'actions[0].proposalId: expected 0x and 64 hexadecimal digits, found "0x12"',
      { kind: 'approve', proposalId: '0x12' },
    ],
  ])('%s', (message, json) => {
    expect(() => actionFromJson(json, 'actions[0]')).toThrow(expect.objectContaining({ code: 'bad-json', message }));
  });

  it('such as an action without a scope, or with one that no session may have', () => {
    const grant = actionToJson(fc.sample(ACTION_SAMPLES.grantSession, { seed: 1, numRuns: 1 })[0] as Action);
    for (const scope of [[], ['addDevice'], 'transfer', new Array(9).fill('transfer')])
      expect(() => actionFromJson({ ...grant, scope }, 'actions[0]')).toThrow(
        `some of ${Object.keys(GRANTABLE_ACTIONS).join(', ')}`,
      );
  });
});

describe('an action outside its form', () => {
  it('is not encoded', () => {
    const short = { scheme: 'ed25519', bytes: new Uint8Array(31) } as const;
    for (const action of [
      { kind: 'transfer', to: short, amount: 1n },
      { kind: 'transfer', to: { scheme: 'ed25519', bytes: new Uint8Array(32) }, amount: 2n ** 64n },
      { kind: 'setData', name: 'x'.repeat(29), value: new Uint8Array(0) },
      { kind: 'call', application: 'token', action: 65_536, input: new Uint8Array(0) },
    ] as const)
      expect(() => actionToWire(action)).toThrow(expect.objectContaining({ code: 'encode-failed' }));
  });
});

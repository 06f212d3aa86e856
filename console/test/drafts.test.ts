import type { FormDescription } from '@slipstream/app/program';
import { describe, expect, test } from 'vitest';
import { caseDraft, type Draft, emptyDraft, readDraft } from '../src/views/applications/drafts.ts';

const ACCOUNT = `0x01${'3b'.repeat(32)}`;
const text = (typed: string): Draft => ({ type: 'text', text: typed });

const order: FormDescription = {
  form: 'record',
  fields: [
    { name: 'to', of: { form: 'account' } },
    { name: 'value', of: { form: 'amount' } },
    { name: 'side', of: { form: 'oneOf', names: ['buy', 'sell'] } },
    { name: 'note', of: { form: 'option', of: { form: 'text', bytesMax: 4 } } },
    {
      name: 'parts',
      of: { form: 'list', itemsMax: 2, of: { form: 'record', fields: [{ name: 'share', of: { form: 'u8' } }] } },
    },
    {
      name: 'until',
      of: {
        form: 'choice',
        cases: [
          { name: 'cancelled', fields: [] },
          { name: 'time', fields: [{ name: 'at', of: { form: 'timeMs' } }] },
        ],
      },
    },
  ],
};

const until = order.fields[5]?.of;
const cases = until?.form === 'choice' ? until.cases : [];
const share = (typed: string): Draft => ({ type: 'record', fields: { share: text(typed) } });
const filled = (fields: { readonly [name: string]: Draft }): Draft => {
  const draft = emptyDraft(order);
  return draft.type === 'record' ? { ...draft, fields: { ...draft.fields, ...fields } } : draft;
};

describe('the draft of a form', () => {
  test('reads as the JSON of the form, without what is optional', () => {
    const draft = filled({
      to: text(` ${ACCOUNT.toUpperCase().replace('0X', '0x')} `),
      value: text('18446744073709551615'),
    });
    expect(readDraft(order, draft, 'input')).toEqual({
      faults: new Map(),
      value: {
        to: ACCOUNT,
        value: '18446744073709551615',
        side: 'buy',
        note: null,
        parts: [],
        until: { kind: 'cancelled' },
      },
    });
  });

  test('reads options, items of lists and fields of the chosen case', () => {
    const draft = filled({
      to: text(ACCOUNT),
      value: text('0'),
      side: text('sell'),
      note: { type: 'option', isGiven: true, of: text(' é ') },
      parts: { type: 'list', items: [share('0'), share('255')] },
      until: { type: 'choice', kind: 'time', fields: { at: text('1700000000000') } },
    });
    const { value, faults } = readDraft(order, draft, 'input');
    expect(faults).toEqual(new Map());
    expect(value).toMatchObject({
      side: 'sell',
      note: ' é ',
      parts: [{ share: 0 }, { share: 255 }],
      until: { kind: 'time', at: 1_700_000_000_000 },
    });
  });

  test('another case begins with empty fields', () => {
    expect(caseDraft(cases, 'time')).toEqual({ type: 'choice', kind: 'time', fields: { at: text('') } });
  });

  test('has a fault at each wrong field, which says what to enter', () => {
    const draft = filled({
      to: text('0x01'),
      value: text('18446744073709551616'),
      note: { type: 'option', isGiven: true, of: text('ééé') },
      parts: { type: 'list', items: [share('256'), share('1'), share('-1')] },
      until: caseDraft(cases, 'time'),
    });
    expect(readDraft(order, draft, 'input').faults).toEqual(
      new Map([
        ['input.to', 'Enter an account: 0x and 66 hexadecimal digits.'],
        ['input.value', 'Enter a whole number from 0 to 2^64 - 1.'],
        ['input.note', 'Enter text of at most 4 bytes.'],
        ['input.parts', 'Leave at most 2 items.'],
        ['input.parts[0].share', 'Enter a whole number from 0 to 255.'],
        ['input.parts[2].share', 'Enter a whole number from 0 to 255.'],
        ['input.until.at', 'Enter a time in ms since 1970.'],
      ]),
    );
  });

  test.each([
    ['u16', '65536'],
    ['u32', '1.5'],
    ['u32', ''],
    ['amount', '1e3'],
    ['id', `0x${'3b'.repeat(33)}`],
  ] as const)('%s refuses %j', (form, typed) => {
    expect([...readDraft({ form }, text(typed), 'key').faults.keys()]).toEqual(['key']);
  });
});

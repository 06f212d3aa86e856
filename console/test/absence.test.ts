import { ClientError, type ClientErrorCode } from '@slipstream/client';
import { expect, test } from 'vitest';
import { absenceTitle } from '../src/views/explorer/absence.ts';

test.each<[ClientErrorCode, string]>([
  ['block-unknown', 'This node knows no such block'],
  ['pruned', 'This block has been pruned on this node'],
  ['network', 'No answer'],
  ['overloaded', 'No answer'],
])('%s is shown as: %s', (code, title) => {
  expect(absenceTitle('block', new ClientError(code, 'why'))).toBe(title);
});

/** A page that could not be read says why, and no more than it knows. */
import { ClientError, type ClientErrorCode } from '@slipstream/client';
import { expect, test } from 'vitest';
import { absenceTitle } from '../src/views/explorer/absence.ts';

test.each<[ClientErrorCode, string]>([
  ['block-unknown', 'No such block here'],
  ['pruned', 'This block is no longer kept here'],
  ['network', 'No answer'],
  ['overloaded', 'No answer'],
])('%s is told as: %s', (code, title) => {
  expect(absenceTitle('block', new ClientError(code, 'why'))).toBe(title);
});

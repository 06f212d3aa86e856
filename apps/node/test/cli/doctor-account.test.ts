import type { Client } from '@slipstream/client';
import { expect, test } from 'vitest';
import { checkAccount } from '../../src/cli/doctor/account.ts';

const NONE = { 'account.keyFile': '' };

const reporting = (...rules: string[]) =>
  ({
    status: async () => ({ alerts: rules.map((rule) => ({ rule, message: 'no account', remedy: 'set one' })) }),
  }) as unknown as Pick<Client, 'status'>;

test('a node without an account is well until it has something to report', async () => {
  const level = async (client?: Pick<Client, 'status'>) => (await checkAccount('home', NONE, client)).level;
  expect(await level()).toBe('ok');
  expect(await level(reporting('behind'))).toBe('ok');
  expect(await checkAccount('home', NONE, reporting('account-cannot-pay'))).toMatchObject({
    level: 'warning',
    found: 'no account',
    remedy: 'set one',
  });
});

test('a secret that is missing is a fault', async () => {
  expect(await checkAccount('home', { 'account.keyFile': 'none.key' }, undefined)).toMatchObject({ level: 'fault' });
});

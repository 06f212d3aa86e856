/** The account that pays for what a node sends by itself. */
import { resolve } from 'node:path';
import { type Client, keyPairFrom } from '@slipstream/client';
import { type Config, HomeError, readSecret } from '@slipstream/node-home';
import { type Finding, fault, ok, warning } from './finding.ts';

/** `client`: of the node that runs on this folder. */
export async function checkAccount(
  home: string,
  config: Pick<Config, 'account.keyFile'>,
  client: Pick<Client, 'status'> | undefined,
): Promise<Finding> {
  const file = config['account.keyFile'];
  const status = await client?.status().catch(() => undefined);
  const alert = status?.alerts.find(({ rule }) => rule === 'account-cannot-pay');
  try {
    const own = file === '' ? undefined : keyPairFrom(await readSecret(resolve(home, file), 'secret of an account'));
    if (alert !== undefined) return warning('account', alert.message, alert.remedy);
    if (own === undefined) {
      return ok('account', 'none: readiness is reported by hand (slipstream validator ready), evidence not at all');
    }
    const balance = status?.account === undefined ? '' : `, balance ${status.account.balance}`;
    return ok('account', `${own.accountText} pays for what this node sends by itself${balance}`);
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    const remedy = 'Create it: slipstream keys new account --out FILE; or leave account.keyFile empty.';
    return fault('account', error.message, remedy);
  }
}

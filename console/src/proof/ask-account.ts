import { type Client, ClientError } from '@slipstream/client';
import type { AccountView } from '@slipstream/schema';

/** With its proof, as soon as a certified state has one. */
export async function askAccount(client: Client, account: string, signal: AbortSignal): Promise<AccountView> {
  try {
    return await client.call('account', { params: { account }, query: { proof: 'true' }, signal });
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'proof-not-ready') throw error;
    return client.account(account, { signal });
  }
}

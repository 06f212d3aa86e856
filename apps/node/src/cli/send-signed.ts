/** Submits a signed transaction. Without an answer the message names the transaction: a new signature might pay twice. */
import { type Client, ClientError, type ClientErrorCode, type SignedTransaction } from '@slipstream/client';
import type { TransactionView, WaitStage } from '@slipstream/schema';
import { waitForStage } from './stage-wait.ts';

/** The node may have accepted the transaction. */
const UNANSWERED: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['network', 'timeout', 'internal']);

export async function sendSigned(
  client: Client,
  signed: SignedTransaction,
  wait: 'no' | WaitStage,
): Promise<TransactionView> {
  try {
    if (wait === 'final') return await client.submitAndWait(signed);
    const view = await client.submit(signed);
    return wait === 'no' ? view : await waitForStage(client, signed.id, wait);
  } catch (error) {
    if (!(error instanceof ClientError) || !UNANSWERED.has(error.code)) throw error;
    const until = new Date(signed.transaction.body.expiryMs).toISOString();
    const message =
      `${error.message}\nThe node may have accepted it. See with: slipstream tx show ${signed.id}\n` +
      `Until ${until} it may be included, so sign no other one in its place before`;
    throw new ClientError(error.code, message, error.data, error);
  }
}

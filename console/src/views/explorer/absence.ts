import { ClientError, type ClientErrorCode } from '@slipstream/client';

const ABSENT: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>([
  'batch-unknown',
  'block-unknown',
  'transaction-unknown',
  'bad-parameter',
]);

/** `what`: block, transaction, batch. */
export function absenceTitle(what: string, error: unknown): string {
  const code = error instanceof ClientError ? error.code : undefined;
  if (code === 'pruned') return `This ${what} has been pruned on this node`;
  return code !== undefined && ABSENT.has(code) ? `This node knows no such ${what}` : 'No answer';
}

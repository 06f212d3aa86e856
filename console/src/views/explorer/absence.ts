/** Why there is nothing to show: it is not there, it is there no more, or nobody said. */
import { ClientError, type ClientErrorCode } from '@slipstream/client';

const ABSENT: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>([
  'block-unknown',
  'transaction-unknown',
  'bad-parameter',
]);

/** `what`: block, transaction. */
export function absenceTitle(what: string, error: unknown): string {
  const code = error instanceof ClientError ? error.code : undefined;
  if (code === 'pruned') return `This ${what} is no longer kept here`;
  return code !== undefined && ABSENT.has(code) ? `No such ${what} here` : 'No answer';
}

import { CodedError } from '@slipstream/primitives';

/**
 * - `corrupt`: durable data is damaged; data has file and offset.
 * - `write-failed`: a write, sync, creation or removal failed; the log is poisoned.
 * - `poisoned`: an earlier operation failed; nothing more is written.
 * - `record-too-large`, `backlog-full`, `closed`: the request is impossible.
 * - `sign-state-damaged`, `sign-state-foreign`, `handed-over`, `history-malformed`, `history-foreign`: see sign-state.ts and history.ts.
 */
type WalErrorCode =
  | 'corrupt'
  | 'write-failed'
  | 'poisoned'
  | 'record-too-large'
  | 'backlog-full'
  | 'closed'
  | 'sign-state-damaged'
  | 'sign-state-foreign'
  | 'handed-over'
  | 'history-malformed'
  | 'history-foreign';

export class WalError extends CodedError<WalErrorCode> {}

export function corrupt(
  file: string,
  offset: number,
  what: string,
  data: Readonly<Record<string, unknown>> = {},
): WalError {
  const message = `the log is corrupt: ${what} in ${file} at offset ${offset}. Inspect it with: slipstream wal inspect`;
  return new WalError('corrupt', message, { ...data, file, offset });
}

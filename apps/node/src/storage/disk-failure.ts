/** Recognizes a failed disk: the operator gets the same message whichever part meets the error first. */
import { NodeError } from '../errors.ts';

const WHAT_TO_DO =
  'Nothing is signed any more. Free space, or replace the disk, then start the node again: it goes on from what is durable';
/** A full, broken or read-only disk; other DiskError codes concern one file. */
const FAILING: ReadonlySet<unknown> = new Set(['no-space', 'io', 'permission']);
/** A longer chain of causes is a cycle. */
const CAUSES_MAX = 16;

/** Whether a failed disk call is the root cause. By name, because an error of another thread is a copy. */
export function isByDisk(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++) {
    if (cause.name === 'DiskError' && 'code' in cause) return FAILING.has(cause.code);
    cause = cause.cause;
  }
  return false;
}

export function diskFailure(message: string, cause?: unknown): NodeError {
  const text = message.includes('Nothing is signed any more') ? message : `${message}. ${WHAT_TO_DO}`;
  return new NodeError('disk-failed', text, {}, cause);
}

/** Returns NodeError `disk-failed` when the disk is the cause, else the reason itself. */
export function stopReasonOf(reason: unknown): unknown {
  if (reason instanceof NodeError && reason.code === 'disk-failed') return reason;
  return isByDisk(reason) ? diskFailure(String(reason), reason) : reason;
}

/**
 * A disk that fails ends the node. Whichever part met it first (log, state, ledger, chunks), the operator reads the same: the disk is
 * to blame, nothing was signed that is not durable, and what to do.
 */
import { NodeError } from '../errors.ts';

const WHAT_TO_DO =
  'Nothing is signed any more. Free space, or replace the disk, then start the node again: it goes on from what is durable';
/** Of DiskError: the disk is full, broken, or was made read-only. The other codes are about one file. */
const FAILING: ReadonlySet<unknown> = new Set(['no-space', 'io', 'permission']);
/** An error rests on few others; more is a circle. */
const CAUSES_MAX = 16;

/** Whether a failed call of the disk is at the root of it. By name: what came from another thread is a copy. */
export function isByDisk(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++) {
    if (cause.name === 'DiskError' && 'code' in cause) return FAILING.has(cause.code);
    cause = cause.cause;
  }
  return false;
}

/** NodeError `disk-failed`, with what to do unless the message says so already. */
export function diskFailure(message: string, cause?: unknown): NodeError {
  const text = message.includes('Nothing is signed any more') ? message : `${message}. ${WHAT_TO_DO}`;
  return new NodeError('disk-failed', text, {}, cause);
}

/** What ends the node, for people: NodeError `disk-failed` when that is what it is, else the reason itself. */
export function stopReasonOf(reason: unknown): unknown {
  if (reason instanceof NodeError && reason.code === 'disk-failed') return reason;
  return isByDisk(reason) ? diskFailure(String(reason), reason) : reason;
}

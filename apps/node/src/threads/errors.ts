/** An error crosses threads as code, message and plain data, because a class cannot. */
import { CodedError } from '@slipstream/primitives';
import { NodeError, type NodeErrorCode } from '../errors.ts';
import type { Head } from './message.ts';

/**
 * - `queue-full`: send less or later.
 * - `stopped`: the other thread was asked to stop.
 * - `failed`: it ended unexpectedly.
 * - `paused`: the node exchanges its stores; ask again.
 */
type ThreadErrorCode = 'queue-full' | 'stopped' | 'failed' | 'paused';

export class ThreadError extends CodedError<ThreadErrorCode> {}

export function pausedError(): ThreadError {
  const message = 'This node takes over a newer state of the chain: ask again in some seconds, or ask another node.';
  return new ThreadError('paused', message, {});
}

class RemoteError extends CodedError {}

export interface WireError {
  readonly [name: string]: Head;
  readonly kind: 'node' | 'coded' | 'other';
  readonly code: string;
  readonly message: string;
}

export function errorToWire(error: unknown): WireError {
  if (error instanceof NodeError) return { kind: 'node', code: error.code, message: error.message };
  if (error instanceof CodedError) return { kind: 'coded', code: error.code, message: error.message };
  // Only the stack shows where a defect is.
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'other', code: 'unexpected', message };
}

export function errorFromWire({ kind, code, message }: WireError): Error {
  if (kind === 'node') return new NodeError(code as NodeErrorCode, message);
  return kind === 'coded' ? new RemoteError(code, message) : new Error(message);
}

/** What a call gave, for people, and the comparison of two realms. */
import { isDeepStrictEqual } from 'node:util';
import type { QueryResult } from '@slipstream/app/program';
import { to0x } from '@slipstream/primitives';
import { TestError } from './errors.ts';
import type { CallStatus, Outcome } from './execution.ts';

/** As receipts name failures; undefined: success. */
export function failureCode(result: CallStatus): string | undefined {
  return result.status === 'success' ? undefined : result.code;
}

export function failureText(result: CallStatus): string {
  if (result.status === 'success') return 'success';
  return result.message === undefined ? result.code : `${result.code} (${result.message})`;
}

/** Of a query. */
export function statusOf(result: QueryResult): CallStatus {
  switch (result.status) {
    case 'success':
      return { status: 'success' };
    case 'failed':
      return result;
    case 'bad-input':
      return { status: 'failed', code: result.status };
    case 'fault':
      return { status: 'failed', code: 'application-fault', message: result.message };
  }
}

/** Throws TestError `realms-differ`. `what` names the call. */
export function assertEqualRealms(what: string, used: Outcome, fresh: Outcome): void {
  if (isDeepStrictEqual(used, fresh)) return;
  const message =
    `${what}: a new realm and a used one gave different results, so the application remembers something outside of its tables.\n` +
    `  new:  ${textOf(fresh)}\n  used: ${textOf(used)}`;
  throw new TestError('realms-differ', message);
}

function textOf({ result, writes, events, ticks }: Outcome): string {
  const shown = events.map(({ event, body }) => `${event}:${to0x(body)}`);
  return `${failureText(result)}, ${ticks} ticks, writes ${JSON.stringify(writes)}, events [${shown.join(', ')}]`;
}

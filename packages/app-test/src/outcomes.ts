/** What a call gave, for people, and the comparison of two realms. */
import { isDeepStrictEqual } from 'node:util';
import { to0x } from '@slipstream/primitives';
import { TestError } from './errors.ts';
import type { CallStatus, Outcome } from './execution.ts';

/** As receipts name failures; undefined: success. */
export function failureCode(result: CallStatus): string | undefined {
  switch (result.status) {
    case 'success':
      return undefined;
    case 'failed':
      return result.code;
    case 'fault':
      return 'application-fault';
    default:
      return result.status;
  }
}

export function failureText(result: CallStatus): string {
  const code = failureCode(result) ?? 'success';
  if (result.status === 'fault') return `${code} (${result.message})`;
  return result.status === 'out-of-units' ? `${code} (${result.unit})` : code;
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

/** What is under way: bounded in requests and in bytes of bodies, so that no load makes the process grow without end. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '@slipstream/ports';

export interface LoadGuard {
  /** False when there is no room; else room is taken until the response is closed, however it ends. */
  admit(response: ServerResponse, bodyBytes: number): boolean;
  /** Aborted when the response is closed, or the server drains. Only for what was admitted. */
  signalOf(response: ServerResponse): AbortSignal;
  drain(graceMs: number): Promise<void>;
}

export interface LoadLimits {
  readonly requestsMax: number;
  readonly bodyBytesMax: number;
}

const DRAIN_POLL_MS = 10;

export function createLoadGuard(clock: Pick<Clock, 'after' | 'monotonicMs'>, limits: LoadLimits): LoadGuard {
  const underWay = new Map<ServerResponse, AbortController>();
  let bodyBytesUnderWay = 0;

  function admit(response: ServerResponse, bodyBytes: number): boolean {
    if (underWay.size >= limits.requestsMax || bodyBytesUnderWay + bodyBytes > limits.bodyBytesMax) return false;
    const gone = new AbortController();
    underWay.set(response, gone);
    bodyBytesUnderWay += bodyBytes;
    response.once('close', () => {
      underWay.delete(response);
      bodyBytesUnderWay -= bodyBytes;
      gone.abort();
    });
    return true;
  }

  function signalOf(response: ServerResponse): AbortSignal {
    return underWay.get(response)?.signal ?? AbortSignal.abort();
  }

  async function drain(graceMs: number): Promise<void> {
    for (const gone of underWay.values()) gone.abort();
    const deadlineMs = clock.monotonicMs() + graceMs;
    while (underWay.size > 0 && clock.monotonicMs() < deadlineMs) {
      await new Promise<void>((resolve) => clock.after(DRAIN_POLL_MS, resolve));
    }
  }

  return { admit, signalOf, drain };
}

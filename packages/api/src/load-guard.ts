/**
 * Bounds open requests and body bytes: in total for memory, per address against slow clients. Loopback, where all clients of a local proxy
 * come from, may use the total.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '@slipstream/ports';
import { addressGroup, isLoopback } from './addresses.ts';

export interface LoadGuard {
  /** False: a limit is reached. The request counts until its response is closed. */
  admit(response: ServerResponse, bodyBytes: number, address: string): boolean;
  /** Aborted when the response is closed or the server drains. Only for admitted responses. */
  signalOf(response: ServerResponse): AbortSignal;
  drain(graceMs: number): Promise<void>;
}

interface LoadLimits {
  readonly requestsMax: number;
  readonly requestsPerAddressMax: number;
  readonly bodyBytesMax: number;
  readonly bodyBytesPerAddressMax: number;
}

interface Held {
  requests: number;
  bodyBytes: number;
}

const DRAIN_POLL_MS = 10;

export function createLoadGuard(clock: Pick<Clock, 'after' | 'monotonicMs'>, limits: LoadLimits): LoadGuard {
  const underWay = new Map<ServerResponse, AbortController>();
  const byAddress = new Map<string, Held>();
  let bodyBytesUnderWay = 0;

  function hasCapacity({ requests, bodyBytes }: Held, more: number, address: string): boolean {
    if (underWay.size >= limits.requestsMax || bodyBytesUnderWay + more > limits.bodyBytesMax) return false;
    if (isLoopback(address)) return true;
    return requests < limits.requestsPerAddressMax && bodyBytes + more <= limits.bodyBytesPerAddressMax;
  }

  function admit(response: ServerResponse, bodyBytes: number, address: string): boolean {
    const group = addressGroup(address);
    const held = byAddress.get(group) ?? { requests: 0, bodyBytes: 0 };
    if (!hasCapacity(held, bodyBytes, address)) return false;
    const gone = new AbortController();
    underWay.set(response, gone);
    byAddress.set(group, held);
    hold(held, 1, bodyBytes);
    response.once('close', () => {
      underWay.delete(response);
      hold(held, -1, -bodyBytes);
      if (held.requests === 0) byAddress.delete(group);
      gone.abort();
    });
    return true;
  }

  function hold(held: Held, requests: 1 | -1, bodyBytes: number): void {
    held.requests += requests;
    held.bodyBytes += bodyBytes;
    bodyBytesUnderWay += bodyBytes;
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

/**
 * Spans of the API's thread: the whole way of a transaction that clients submitted here, its submission and its notice.
 *
 *   submitted --> `transaction` ------------------------------------------------------> ended
 *             \-> `api.submit` -> accepted                    committed -> `api.notify` --^
 */
import type { Clock, Telemetry } from '@slipstream/ports';
import type { TransactionStatus } from '@slipstream/schema';

export interface ClientSpans {
  /** Call at the request; the answer takes the hexadecimal ids of what was accepted. */
  submitted(): (ids: readonly string[]) => void;
  /** `committedMs`: wall clock at the commit of its block; undefined when it is in none. */
  ended(id: string, end: End): void;
}

interface End {
  readonly status: TransactionStatus;
  readonly height: number | undefined;
  readonly committedMs: number | undefined;
}

/** The oldest are forgotten: their traces stay without a root. */
const OPEN_MAX = 10_000;

export function createClientSpans(
  { clock, telemetry }: { readonly clock: Pick<Clock, 'wallMs'>; readonly telemetry: Pick<Telemetry, 'span'> },
  isTraced: (id: string) => boolean,
): ClientSpans {
  const openSinceMs = new Map<string, number>();

  function open(id: string, fromMs: number): void {
    openSinceMs.set(id, fromMs);
    if (openSinceMs.size > OPEN_MAX) openSinceMs.delete(openSinceMs.keys().next().value as string);
    telemetry.span?.({
      transactionId: id,
      name: 'api.submit',
      fromMs,
      toMs: clock.wallMs(),
      fields: { thread: 'api' },
    });
  }

  return {
    submitted() {
      const fromMs = clock.wallMs();
      return (ids) => {
        for (const id of ids) if (isTraced(id) && !openSinceMs.has(id)) open(id, fromMs);
      };
    },
    ended(id, { status, height, committedMs }) {
      const fromMs = openSinceMs.get(id);
      if (fromMs === undefined) return;
      openSinceMs.delete(id);
      const toMs = clock.wallMs();
      const fields = { thread: 'api', status, ...(height === undefined ? {} : { height }) };
      if (committedMs !== undefined) {
        telemetry.span?.({ transactionId: id, name: 'api.notify', fromMs: committedMs, toMs, fields });
      }
      telemetry.span?.({ transactionId: id, name: 'transaction', isRoot: true, fromMs, toMs, fields });
    },
  };
}

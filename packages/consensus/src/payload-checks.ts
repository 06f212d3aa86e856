/** Running payload checks; each fetches chunks until its block no longer matters. */
import type { Telemetry } from '@slipstream/ports';
import { type Block, type BlockId, hexOf } from '@slipstream/types';
import type { Application } from './application.ts';
import type { Event } from './events.ts';

interface PayloadChecksComponents {
  readonly application: Pick<Application, 'checkPayload'>;
  readonly telemetry: Pick<Telemetry, 'event'>;
  readonly report: (event: Event) => void;
  readonly fail: (error: unknown) => void;
}

export interface PayloadChecks {
  check(blockId: BlockId, block: Block): void;
  drop(blockId: BlockId): void;
  stop(): void;
}

export function createPayloadChecks({ application, telemetry, report, fail }: PayloadChecksComponents): PayloadChecks {
  const aborts = new Map<string, AbortController>();

  return {
    check(blockId, block) {
      const abort = new AbortController();
      aborts.set(hexOf(blockId), abort);
      application.checkPayload(blockId, block, abort.signal).then(
        (verdict) => {
          aborts.delete(hexOf(blockId));
          if (verdict.type === 'invalid') {
            telemetry.event('block.refused', { view: block.view, blockId: hexOf(blockId), reason: verdict.reason });
          }
          report({ type: 'payload-checked', blockId, verdict });
        },
        (error: unknown) => {
          if (!abort.signal.aborted) fail(error);
        },
      );
    },
    drop(blockId) {
      aborts.get(hexOf(blockId))?.abort();
      aborts.delete(hexOf(blockId));
    },
    stop() {
      for (const abort of aborts.values()) abort.abort();
    },
  };
}

import type { Call } from '@slipstream/types';
import type { CallerContext } from '../actions/rule.ts';
import type { Applications } from './applications.ts';

/** Called around each piece of an application's code that runs: what ticks do not see may never return (applications.md, A19). */
export interface CallWatch {
  /** @param application its number */
  begins(transactionId: Uint8Array, application: number, action: number): void;
  ended(): void;
}

export function watched(applications: Applications, watch: CallWatch): Applications {
  const numbers = new Map(applications.installed.map(({ program }, number) => [program.manifest.name, number]));

  function within<T>({ application, action }: Call, { transactionId }: CallerContext, run: () => T): T {
    watch.begins(transactionId, numbers.get(application) ?? 0, action);
    try {
      return run();
    } finally {
      watch.ended();
    }
  }

  return {
    ...applications,
    call: (scratch, call, context) => within(call, context, () => applications.call(scratch, call, context)),
    declaredKeys: (call, context, ticksMax) =>
      within(call, context, () => applications.declaredKeys(call, context, ticksMax)),
  };
}

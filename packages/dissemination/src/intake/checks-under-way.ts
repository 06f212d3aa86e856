import type { Flow } from '../metrics/flow.ts';

export interface ChecksUnderWay {
  readonly count: number;
  readonly countOfClients: number;
  during<T>(count: number, from: 'client' | 'peer', work: () => Promise<T>): Promise<T>;
}

export function createChecksUnderWay({ flow }: { readonly flow: Pick<Flow, 'refused'> }): ChecksUnderWay {
  let all = 0;
  let ofClients = 0;

  return {
    get count() {
      return all;
    },
    get countOfClients() {
      return ofClients;
    },
    async during(count, from, work) {
      const countOfClients = from === 'client' ? count : 0;
      all += count;
      ofClients += countOfClients;
      try {
        return await work();
      } catch (cause) {
        flow.refused('unchecked', count);
        throw cause;
      } finally {
        all -= count;
        ofClients -= countOfClients;
      }
    },
  };
}

/** Exchanges the parts of a running node: one generation ends, something is done on the closed data folder, the next one begins. */
import type { TelemetryFields } from '@slipstream/ports';
import type { ApiThread } from '../api-thread/api.ts';
import type { Generation } from './generation.ts';
import type { NodeWorld } from './node-world.ts';

export interface Exchange {
  readonly generation: Generation;
  /**
   * One after another: `act` is called while nothing has the data open. No effect once ended; a running one then opens no parts. Resolves
   * when it is over, also by a failure, which the node stops for.
   */
  ask(why: string, fields: TelemetryFields, act?: () => Promise<void>): Promise<void>;
  /** Resolves when none is running. */
  end(): Promise<void>;
}

interface ExchangeParts {
  readonly world: Pick<NodeWorld, 'telemetry' | 'fail'>;
  readonly api: Pick<ApiThread, 'pause'> | undefined;
  readonly open: () => Promise<Generation>;
}

export function createExchange(first: Generation, { world, api, open }: ExchangeParts): Exchange {
  let generation = first;
  let running: Promise<void> = Promise.resolve();
  let isEnded = false;

  async function exchange(why: string, fields: TelemetryFields, act: () => Promise<void>): Promise<void> {
    if (isEnded) return;
    world.telemetry.log('info', `${why}: the parts of this node are exchanged`, fields);
    await api?.pause();
    await generation.stop();
    await act();
    if (isEnded) return;
    generation = await open();
    world.telemetry.log('info', `${why}: this node goes on`, fields);
  }

  return {
    get generation() {
      return generation;
    },
    ask(why, fields, act = async () => {}) {
      running = running.then(() => exchange(why, fields, act)).catch(world.fail);
      return running;
    },
    end() {
      isEnded = true;
      return running;
    },
  };
}

import type { Telemetry } from '@slipstream/ports';
import type { ByeReason } from '@slipstream/schema';
import { createOpenCounter } from '../addresses.ts';

export interface OpenStream {
  /** Idempotent. */
  end(reason: ByeReason, detail: string): void;
}

interface OpenStreams {
  /** Counted until `release`; undefined: a limit is reached, or `open` has none. */
  hold(address: string, open: () => OpenStream | undefined): { readonly release: () => void } | undefined;
  /** Bye for every reader, also later ones. */
  stop(): void;
}

interface OpenStreamsOptions {
  readonly name: string;
  readonly max: number;
  readonly perAddressMax: number;
}

export function createOpenStreams(telemetry: Telemetry, { name, max, perAddressMax }: OpenStreamsOptions): OpenStreams {
  const counter = createOpenCounter(max, perAddressMax);
  const streams = new Set<OpenStream>();
  telemetry.gauge(name, 0);
  let stopping = false;

  function stop(): void {
    stopping = true;
    for (const stream of streams) stream.end('stopping', 'the node is stopping: connect again');
  }

  return {
    hold(address, open) {
      const close = counter.open(address);
      if (close === undefined) return undefined;
      const stream = open();
      if (stream === undefined) {
        close();
        return undefined;
      }
      streams.add(stream);
      telemetry.gauge(name, counter.total);
      if (stopping) stop();
      return {
        release: () => {
          close();
          streams.delete(stream);
          telemetry.gauge(name, counter.total);
        },
      };
    },
    stop,
  };
}

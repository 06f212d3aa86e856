import type { Config } from '@slipstream/node-home';
import type { Genesis, GenesisHash } from '@slipstream/types';
import type { Logger } from 'pino';
import type { LogLosses } from '../telemetry/log-losses.ts';
import type { OpenExport } from '../tracing/tracing.ts';

export interface NodeStart {
  /** Absolute path. */
  readonly home: string;
  readonly config: Config;
  readonly logger: Logger;
  readonly losses: LogLosses;
  readonly consoleFolder: string | undefined;
  /** Undefined: tracing is off. */
  readonly openExport: OpenExport | undefined;
}

export interface RunningNode {
  readonly name: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Index in the committee; undefined for a full node. */
  readonly validator: number | undefined;
  /** http://host:port; undefined: the API is off. */
  readonly apiUrl: string | undefined;
  /** Multiaddrs that peers can dial. */
  readonly networkAddresses: readonly string[];
  /** Resolves when the node fails: it signs nothing more and is stopping. */
  readonly failed: Promise<unknown>;
  /** The command that replays the newest recorded input of consensus; undefined: recording is off. */
  replayCommand(): string | undefined;
  /** Resolves when an operator drained the node and requested its end. */
  readonly finished: Promise<void>;
  /**
   * Development: ends all parts but the API, whose port stays open, calls `act` while nothing has the data open, and begins again on what
   * is then in the home. Resolves also when the parts do not begin: then the node fails. `act` must not reject.
   */
  exchange(why: string, act: () => Promise<void>): Promise<void>;
  /** Finishes or reverts running work. Idempotent. */
  stop(): Promise<void>;
}

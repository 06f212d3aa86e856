/** A node that runs, as the command line and the harnesses of tests see it. */
import type { Genesis, GenesisHash } from '@slipstream/types';
import type { Logger } from 'pino';
import type { Config } from '../config/keys.ts';
import type { LogLosses } from '../telemetry/log-losses.ts';

export interface NodeStart {
  /** The node's folder, absolute. */
  readonly home: string;
  readonly config: Config;
  readonly logger: Logger;
  readonly losses: LogLosses;
  /** Folder of the built console, if there is one. */
  readonly consoleFolder: string | undefined;
}

export interface RunningNode {
  readonly name: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Index in the committee; undefined for a full node. */
  readonly validator: number | undefined;
  /** http://host:port, undefined when the API is off. */
  readonly apiUrl: string | undefined;
  /** Multiaddrs that peers can dial. */
  readonly networkAddresses: readonly string[];
  /** Settles with the reason when the node cannot go on: it signs nothing more and is stopping. Never settles otherwise. */
  readonly failed: Promise<unknown>;
  /** The command that replays what consensus was told last; undefined when nothing is recorded. */
  replayCommand(): string | undefined;
  /** Settles when an operator drained the node and asked it to end then. */
  readonly finished: Promise<void>;
  /** Finishes or reverts what is under way, in order. Idempotent. */
  stop(): Promise<void>;
}

import type { MessageChannel } from 'node:worker_threads';
import type { Dissemination } from '@slipstream/dissemination';
import type { Identity } from '@slipstream/node-home/identity';
import type { ApiThread } from '../api-thread/api.ts';
import type { Executor } from '../executor/executor.ts';
import type { OperatorView } from '../operator/operator-view.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import type { NodeWorld } from './node-world.ts';
import type { FlightRecorder } from './recorder.ts';
import type { NodeStart } from './running-node.ts';

export type Stop = () => Promise<void> | void;

/** Parts that are created after their callers. */
export interface Links {
  readonly stateReads: MessageChannel;
  revokeSigning?: () => void;
  connected?: ConnectedConsensus;
  view?: OperatorView;
  dissemination?: Dissemination;
}

export interface Building {
  readonly start: NodeStart;
  readonly identity: Identity;
  readonly world: NodeWorld & Pick<FlightRecorder, 'recorder'>;
  readonly executor: Executor;
  /** Undefined on a node without API. */
  readonly api: ApiThread | undefined;
  readonly links: Links;
  /** Run in reverse order at the stop. */
  readonly stops: Stop[];
}

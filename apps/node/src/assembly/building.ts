import type { MessagePort } from 'node:worker_threads';
import type { Dissemination } from '@slipstream/dissemination';
import type { Identity } from '@slipstream/node-home/identity';
import type { DistanceWatch, StagedState } from '@slipstream/sync/state-sync';
import type { OwnReports } from '../account/reports.ts';
import type { ApiThread } from '../api-thread/api.ts';
import type { NodeArtifacts } from '../artifacts/node-artifacts.ts';
import type { OldTrust } from '../epochs/checkpoint.ts';
import type { KnownRules } from '../epochs/known-rules.ts';
import type { HeldKeys } from '../epochs/next-keys.ts';
import type { NodeEpochs } from '../epochs/node-epochs.ts';
import type { Executor } from '../executor/executor.ts';
import type { OperatorView } from '../operator/operator-view.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import type { NodeWorld } from './node-world.ts';
import type { FlightRecorder } from './recorder.ts';
import type { NodeStart } from './running-node.ts';

export type Stop = () => Promise<void> | void;

/** Parts that are created after their callers. */
export interface Links {
  revokeSigning?: () => void;
  connected?: ConnectedConsensus;
  view?: OperatorView;
  dissemination?: Dissemination;
  watch?: DistanceWatch;
  reports?: OwnReports;
  /** Transactions that the generation before had accepted and put in no chunk. */
  pooled?: readonly Uint8Array[];
  oldTrust?: OldTrust | undefined;
}

export interface Building {
  readonly start: NodeStart;
  readonly identity: Identity;
  readonly artifacts: NodeArtifacts;
  readonly quarantine: Quarantine;
  readonly world: NodeWorld & Pick<FlightRecorder, 'recorder'>;
  readonly executor: Executor;
  readonly keys: HeldKeys;
  readonly epochs: NodeEpochs;
  readonly rules: KnownRules;
  /** Undefined on a node without API. */
  readonly api: ApiThread | undefined;
  /** To the executor, for the API's thread. */
  readonly stateReads: MessagePort;
  readonly links: Links;
  /** Exchanges the parts of the running node for those of a staged state. */
  readonly replaceState: (staged: StagedState) => void;
  /** Run in reverse order at the stop. */
  readonly stops: Stop[];
}

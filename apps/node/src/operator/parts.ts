import type { Consensus } from '@slipstream/consensus';
import type { VerificationCacheStats } from '@slipstream/crypto';
import type { VerifierStats } from '@slipstream/crypto/native';
import type { Dissemination } from '@slipstream/dissemination';
import type { NetworkTransport } from '@slipstream/network';
import type { Config } from '@slipstream/node-home';
import type { Identity } from '@slipstream/node-home/identity';
import type { Clock } from '@slipstream/ports';
import type { Block, Epoch } from '@slipstream/types';
import type { Refusal } from '@slipstream/wal';
import type { AccountVitals } from '../account/reports.ts';
import type { NodeArtifacts } from '../artifacts/node-artifacts.ts';
import type { OperationComponents } from '../backend/operation.ts';
import type { OldTrust } from '../epochs/checkpoint.ts';
import type { NodeEpochs } from '../epochs/node-epochs.ts';
import type { Executor } from '../executor/executor.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { Stores } from '../storage/stores.ts';
import type { Alerts } from '../telemetry/alerts.ts';
import type { LogLosses } from '../telemetry/log-losses.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { NodeTelemetry } from '../telemetry/telemetry.ts';

export interface OperatorParts {
  readonly clock: Clock;
  readonly telemetry: NodeTelemetry;
  readonly metrics: Metrics;
  readonly logging: OperationComponents['logging'] & { readonly losses: LogLosses };
  /** Of the process: they outlive an exchange of its parts. */
  readonly alerts: Alerts;
  readonly startedMs: number;
  /** No peer has the next block, and this node takes over no state, or finds none. */
  readonly isStranded: () => boolean;
  /** An operator requested the end of the process. */
  readonly finish: () => void;
  /** Undefined until the node has begun to look what it has to report. */
  readonly account: () => AccountVitals | undefined;
  readonly oldTrust: () => OldTrust | undefined;
  readonly artifacts: NodeArtifacts;
  readonly quarantine: Quarantine;
  readonly stores: Pick<Stores, 'log'>;
  readonly dissemination: Dissemination;
  readonly executor: Executor;
  readonly epochs: NodeEpochs;
  readonly consensus: Consensus;
  readonly transport: NetworkTransport;
  readonly verification: {
    stats(): VerifierStats & { readonly cache: VerificationCacheStats };
    report(): void;
  };
}

export interface OperatorSetting {
  readonly identity: Identity;
  readonly config: Config;
  readonly hasFaucet: boolean;
  /** The signing state refuses them in this process. */
  readonly refusal: Refusal;
  /** Newest block committed before this start, or genesis. */
  readonly head: Pick<Block, 'epoch' | 'height' | 'view' | 'timestampMs'>;
  /** By the parts that these replace; undefined at a start. */
  readonly reportedEpoch: Epoch | undefined;
  readonly folder: string;
}

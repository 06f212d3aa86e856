import type { Telemetry } from '@slipstream/ports';
import type { Status } from '@slipstream/schema';
import type { EpochVitals } from '../operator/epoch-watch.ts';

export interface NodeGauges {
  /** Call once per second. */
  update(seen: Seen): void;
}

interface Seen {
  readonly status: Pick<
    Status,
    | 'view'
    | 'height'
    | 'finalHeight'
    | 'certifiedHeight'
    | 'headTimestampMs'
    | 'ready'
    | 'syncing'
    | 'signing'
    | 'peers'
    | 'node'
  >;
  /** Members with a recent message and this node, over the total weight. */
  readonly reachableWeightShare: number;
  readonly sinceFinalMs: number;
  readonly clockOffsetMs: number | undefined;
  /** Undefined until the state was read. */
  readonly epoch: Pick<EpochVitals, 'epoch' | 'members' | 'isSealed' | 'benchedUntil'> | undefined;
}

/** `about`: labels of a gauge that is 1, and 0 once a label changes. */
export function createNodeGauges(
  { gauge }: Pick<Telemetry, 'gauge'>,
  about: Readonly<Record<'version' | 'runtime' | 'chain' | 'genesis' | 'name', string>>,
): NodeGauges {
  let labels: Readonly<Record<string, string>> | undefined;

  function inform({ role, validator }: Status['node']): void {
    const validates = validator === null ? '' : `${validator}`;
    if (labels?.validator === validates) return;
    if (labels !== undefined) gauge('node_info', 0, labels);
    labels = { ...about, role, validator: validates };
    gauge('node_info', 1, labels);
  }

  return {
    update({ status, reachableWeightShare, sinceFinalMs, clockOffsetMs, epoch }) {
      const { view, height, finalHeight, certifiedHeight, headTimestampMs, ready, syncing, signing, peers } = status;
      inform(status.node);
      gauge('node_ready', Number(ready));
      gauge('node_syncing', Number(syncing));
      if (signing !== null) {
        gauge('node_signing', Number(signing.state === 'signing'));
        gauge('node_refused_view', signing.state === 'refused' ? signing.upToView : 0);
      }
      gauge('consensus_view', view);
      gauge('consensus_certified_height', certifiedHeight);
      gauge('consensus_final_height', finalHeight);
      gauge('consensus_since_final_ms', sinceFinalMs);
      gauge('consensus_reachable_weight_ratio', reachableWeightShare);
      gauge('network_peers', peers.validators, { role: 'validator' });
      gauge('network_peers', peers.connected - peers.validators, { role: 'full-node' });
      gauge('network_peers_blocked', peers.blocked);
      // Also set at each commit; a node that starts on a stalled chain needs them for alert rules.
      gauge('pipeline_committed_height', height);
      gauge('pipeline_commit_lag_blocks', finalHeight - height);
      gauge('ledger_head_timestamp_seconds', headTimestampMs / 1000);
      if (epoch !== undefined) {
        gauge('epoch_number', epoch.epoch);
        gauge('epoch_members', epoch.members);
        gauge('epoch_sealed', Number(epoch.isSealed));
        gauge('epoch_own_benched', Number(epoch.benchedUntil !== undefined));
      }
      // NaN while unknown, or the last value would stay.
      gauge('node_clock_offset_ms', clockOffsetMs ?? Number.NaN);
    },
  };
}

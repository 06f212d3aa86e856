/** What every dashboard asks of a node, once a second: what it is, whether it is well, how far it is, whom it hears. */
import type { Telemetry } from '@slipstream/ports';
import type { Status } from '@slipstream/schema';

export interface NodeGauges {
  /** Each second. */
  update(seen: Seen): void;
}

export interface Seen {
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
  >;
  /** Weight of members with a recent message, this node included, over the total weight. */
  readonly reachableWeightShare: number;
  readonly sinceFinalMs: number;
  readonly clockOffsetMs: number | undefined;
}

/** `about` tells what does not change: labels of one gauge that is always 1. */
export function createNodeGauges(
  { gauge }: Pick<Telemetry, 'gauge'>,
  about: Readonly<Record<'version' | 'runtime' | 'chain' | 'genesis' | 'name' | 'role' | 'validator', string>>,
): NodeGauges {
  gauge('node_info', 1, about);
  return {
    update({ status, reachableWeightShare, sinceFinalMs, clockOffsetMs }) {
      const { view, height, finalHeight, certifiedHeight, headTimestampMs, ready, syncing, signing, peers } = status;
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
      // Also told with each commit: a node that starts while the chain stands still has none, and rules on it would not hold.
      gauge('pipeline_committed_height', height);
      gauge('pipeline_commit_lag_blocks', finalHeight - height);
      gauge('ledger_head_timestamp_seconds', headTimestampMs / 1000);
      // Not a number while nobody can tell: the last known one would be shown for ever.
      gauge('node_clock_offset_ms', clockOffsetMs ?? Number.NaN);
    },
  };
}

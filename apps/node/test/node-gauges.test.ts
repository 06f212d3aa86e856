import { expect, test } from 'vitest';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { createNodeGauges } from '../src/telemetry/node-gauges.ts';

test('a node on a stalled chain shows role, height, live peers, that it is not ready and does not sign', async () => {
  const metrics = createMetrics({ ofProcess: false });
  const about = { version: '0.1.0', runtime: 'v24', chain: 'c', genesis: '0x01', name: 'n' };
  const gauges = createNodeGauges(metrics, about);
  const peers = { connected: 3, validators: 1, blocked: 0 };
  const heights = { view: 9, height: 7, finalHeight: 8, certifiedHeight: 7, headTimestampMs: 1_500 };
  const signing = { state: 'refused', upToView: 65, reason: 'wal-lost', recovering: false } as const;
  const status = { ...heights, ready: false, syncing: false, signing, peers };
  const node = { peer: '0x', name: 'n', role: 'validator', validator: 2 } as const;
  const epoch = { epoch: 2, members: 5, isSealed: true, benchedUntil: undefined };
  const seen = { reachableWeightShare: 0.5, sinceFinalMs: 60_000, clockOffsetMs: undefined, epoch };
  gauges.update({ status: { ...status, node }, ...seen });
  const lines = (await metrics.registry.metrics()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^slipstream_node_info\{version="0.1.0",.*validator="2"\} 1$/),
      'slipstream_node_ready 0',
      'slipstream_node_signing 0',
      'slipstream_node_refused_view 65',
      'slipstream_pipeline_committed_height 7',
      'slipstream_pipeline_commit_lag_blocks 1',
      'slipstream_consensus_since_final_ms 60000',
      'slipstream_consensus_reachable_weight_ratio 0.5',
      'slipstream_network_peers{role="validator"} 1',
      'slipstream_network_peers{role="full-node"} 2',
      'slipstream_epoch_number 2',
      'slipstream_epoch_members 5',
      'slipstream_epoch_sealed 1',
      'slipstream_epoch_own_benched 0',
      'slipstream_ledger_head_timestamp_seconds 1.5',
    ]),
  );
  gauges.update({
    status: { ...status, node: { ...node, role: 'full-node', validator: null } },
    ...seen,
  });
  const later = (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => line.startsWith('slipstream_node_info'));
  expect(later.map((line) => /validator="(\d?)".* (\d)$/.exec(line)?.slice(1))).toEqual([
    ['2', '0'],
    ['', '1'],
  ]);
  const offset = lines.find((line) => line.startsWith('slipstream_node_clock_offset_ms '));
  expect(offset?.split(' ')[1]?.toLowerCase()).toBe('nan');
});

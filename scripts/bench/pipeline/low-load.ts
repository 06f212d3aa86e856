/** Measures a block of a few transfers on this machine: executing and digesting, appending with a sync. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeBlock, executionParameters, genesisBatch } from '@slipstream/execution';
import { createDisk } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { openStateStore } from '@slipstream/state';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { quantile } from '../claim.ts';

const BLOCKS = 60;

/** Medians of wall time. */
export async function measureLowLoad(transactions: number): Promise<{ executeMs: number; appendMs: number }> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-bench-'));
  const genesis = arrange.genesis({ 1: 10n ** 12n, 2: 1n });
  const parameters = executionParameters(genesis, arrange.GENESIS_HASH);
  const { store } = await openStateStore(
    { disk: createDisk({ root }), telemetry: silentTelemetry },
    {
      directory: 'state',
      genesisHash: arrange.GENESIS_HASH,
      genesisBlock: 'genesis',
      genesisBatch: genesisBatch(genesis, (secret) => secret),
      parameters: genesis.state,
      hashKey: new Uint8Array(8),
    },
  );
  const executed: number[] = [];
  const appended: number[] = [];
  let parent = 'genesis';
  try {
    for (let height = 1; height <= BLOCKS; height++) {
      const block = `block ${height}`;
      const chunk = { producer: 0, transactions: Array.from({ length: transactions }, () => arrange.transaction()) };
      const beganMs = performance.now();
      const { batch } = executeBlock({
        height,
        timestampMs: arrange.NOW_MS,
        proposer: 0,
        chunks: [chunk],
        parameters,
        read: store.view(parent).get,
        seen: () => false,
      });
      store.prepare(parent, block, batch);
      const digestedMs = performance.now();
      await store.append(block);
      executed.push(digestedMs - beganMs);
      appended.push(performance.now() - digestedMs);
      await store.commit(block);
      parent = block;
    }
  } finally {
    await store.close();
    await rm(root, { recursive: true, force: true });
  }
  return { executeMs: quantile(executed, 0.5), appendMs: quantile(appended, 0.5) };
}

/** Whether a node that prunes can offer snapshots (docs/decisions/0013). */
import { PREIMAGES_BELOW_MAX } from '@slipstream/sync/state-sync';
import { type Genesis, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { consensusOptions } from './consensus-times.ts';
import type { Config } from './keys.ts';

/**
 * Why it cannot; undefined when it can, or offers none. A snapshot needs the blocks in which its log files end and a minute below, and the
 * newest one is up to sync.snapshotEvery blocks old.
 */
export function offersTooLittle(config: Config, { state }: Pick<Genesis, 'state'>): string | undefined {
  const { 'retention.blocks': blocks, 'sync.snapshotEvery': every } = config;
  const { minBlockIntervalMs } = consensusOptions(config);
  const minuteBlocks = Math.min(PREIMAGES_BELOW_MAX, Math.ceil(TRANSACTION_LIFE_MS_MAX / minBlockIntervalMs));
  const needed = every + Math.max(state.history, minuteBlocks) + 1;
  if (config['retention.archive'] || every === 0 || blocks >= needed) return undefined;
  return `retention.blocks is ${blocks}: nodes that join need up to ${needed} blocks with a snapshot, so that at times none is offered here`;
}

export const OFFERS_TOO_LITTLE_REMEDY =
  'Raise retention.blocks, or see that other validators keep more: where none offers a snapshot, and blocks are pruned, no node can join.';

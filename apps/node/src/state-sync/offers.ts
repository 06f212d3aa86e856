/** Whether a node that prunes can offer its snapshots to nodes that join (docs/decisions/0011). */
import type { Genesis } from '@slipstream/types';
import type { Config } from '../config/keys.ts';

type Settings = Pick<Config, 'retention.archive' | 'retention.blocks' | 'sync.snapshotEvery'>;

/**
 * Undefined when it always can, or is not to. A snapshot goes with the blocks that its log files end in, and the newest snapshot is up to
 * sync.snapshotEvery blocks old. The last minute of blocks is kept whatever is configured, but may be few.
 */
export function offersTooLittle(settings: Settings, { state }: Pick<Genesis, 'state'>): string | undefined {
  const { 'retention.blocks': blocks, 'sync.snapshotEvery': every } = settings;
  const needed = every + state.history + 1;
  if (settings['retention.archive'] || every === 0 || blocks >= needed) return undefined;
  return `retention.blocks is ${blocks}: nodes that join need up to ${needed} blocks with a snapshot, so that at times none is offered here`;
}

export const OFFERS_TOO_LITTLE_REMEDY =
  'Raise retention.blocks, or see that other validators keep more: where none offers a snapshot, and blocks are pruned, nobody can join.';

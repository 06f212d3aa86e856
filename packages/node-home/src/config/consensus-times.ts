/** Times of the protocol: those of the preset, overridden by the configuration. */
import { type ConsensusOptions, LOCAL_OPTIONS, WAN_OPTIONS } from '@slipstream/consensus/options';
import type { Config } from './keys.ts';

export function consensusOptions(config: Config): ConsensusOptions {
  const preset = config['consensus.preset'] === 'wan' ? WAN_OPTIONS : LOCAL_OPTIONS;
  const given = (value: number, fallback: number) => (value < 0 ? fallback : value);
  return {
    ...preset,
    minBlockIntervalMs: given(config['consensus.minBlockIntervalMs'], preset.minBlockIntervalMs),
    idleBlockIntervalMs: given(config['consensus.idleBlockIntervalMs'], preset.idleBlockIntervalMs),
    leaderTimeoutMs: given(config['consensus.leaderTimeoutMs'], preset.leaderTimeoutMs),
    viewTimeoutMs: given(config['consensus.viewTimeoutMs'], preset.viewTimeoutMs),
    earlyVoteViews: given(config['consensus.earlyVoteViews'], preset.earlyVoteViews),
  };
}

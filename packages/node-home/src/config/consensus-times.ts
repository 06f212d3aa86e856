/** Times of the protocol: the node's own are those of its preset, the others its epoch's. The configuration overrides both. */
import { type ConsensusOptions, LOCAL_OPTIONS, WAN_OPTIONS } from '@slipstream/consensus/options';
import type { TimeParameters } from '@slipstream/types';
import type { Config } from './keys.ts';

/** `times`: of the epoch's record. Default: those of the preset, which a chain begins with. */
export function consensusOptions(config: Config, times?: TimeParameters): ConsensusOptions {
  const preset = config['consensus.preset'] === 'wan' ? WAN_OPTIONS : LOCAL_OPTIONS;
  const ofEpoch = { ...preset, ...times };
  const given = (value: number, fallback: number) => (value < 0 ? fallback : value);
  const viewTimeoutMs = given(config['consensus.viewTimeoutMs'], ofEpoch.viewTimeoutMs);
  return {
    ...ofEpoch,
    viewTimeoutMs,
    // An epoch may have longer views than the preset foresees.
    maxTimeoutMs: times === undefined ? preset.maxTimeoutMs : Math.max(preset.maxTimeoutMs, viewTimeoutMs),
    minBlockIntervalMs: given(config['consensus.minBlockIntervalMs'], ofEpoch.minBlockIntervalMs),
    idleBlockIntervalMs: given(config['consensus.idleBlockIntervalMs'], ofEpoch.idleBlockIntervalMs),
    leaderTimeoutMs: given(config['consensus.leaderTimeoutMs'], ofEpoch.leaderTimeoutMs),
    earlyVoteViews: given(config['consensus.earlyVoteViews'], ofEpoch.earlyVoteViews),
  };
}

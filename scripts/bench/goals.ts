/** Goals of claims, with their sources. A claim without a goal has no verdict. */
export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly from: string;
}

const DFINITY = 'DFINITY’s measurements of certified sessions';
const ZAPTOS = 'nine tenths of what theorem 4.3 of Zaptos predicts for the measured delays';
const OWN = 'our own';

/** By claim, or by bench and claim. */
const GOALS: Readonly<Record<string, Goal>> = {
  check_ms_n100: { atMost: 2, from: 'Commonware: 32 ms on such a machine' },
  verifications_saved_n10: { atLeast: 0.83, from: 'one check in place of six: a quorum is seven, with the own vote' },
  block_ratio_n50: { atLeast: 1.275, from: 'Commonware: 255 against 200 ms' },
  finality_ratio_n50: { atLeast: 1.25, from: 'Commonware: 375 against 300 ms' },
  cpu_ratio_n50: { atLeast: 2.89, from: 'Commonware: 26 against 9 percent' },
  block_ms_n50: { atMost: 200, from: 'Commonware, buffered' },
  finality_ms_n50: { atMost: 300, from: 'Commonware, buffered' },
  cores_n50: { atMost: 0.5, from: 'Commonware: less than half a core' },
  'vryx certified_p50_ms': { atMost: 230, from: 'Vryx, in five regions' },
  'vryx attested_p50_ms': { atMost: 700, from: 'Vryx, in five regions' },
  'vryx finality_p50_ms': { atMost: 3250, from: 'Vryx, in five regions' },
  sustained_expired: { atMost: 0, from: 'Vryx' },
  sustained_lost: { atMost: 0, from: OWN },
  sustained_minutes: { atLeast: 30, from: OWN },
  accounts_in_state: { atLeast: 10_000_000, from: 'Vryx' },
  disrupted_views_n1000: { atMost: 333, from: 'Commonware: a third of the validators, each once' },
  blocks_per_offender_n1000: { atMost: 1, from: 'Commonware: a third of the validators, each once' },
  hit_ratio: { atLeast: 4000, from: DFINITY },
  hit_spread_ratio: { atLeast: 4000, from: DFINITY },
  bytes_per_entry: { atMost: 80, from: 'DFINITY: 65' },
  verify_time_ratio: { atLeast: 100, from: DFINITY },
  requests_ratio: { atLeast: 11, from: DFINITY },
  requests_of_plain_ed25519: { atLeast: 0.8, from: OWN },
  rate_ratio: { atLeast: 11, from: DFINITY },
  dropped_share_300: { atMost: 0.01, from: 'DFINITY: no more than with plain Ed25519' },
  session_hash_cpu_of_plain: { atMost: 1.2, from: OWN },
  session_known_cpu_of_plain: { atMost: 1.2, from: OWN },
  same_message_ratio: { atLeast: 20.9, from: DFINITY },
  distinct_ratio: { atLeast: 1.48, from: DFINITY },
  same_key_ratio: {
    atLeast: 1.48,
    from: 'DFINITY for distinct ones: the binding has no form for one key (34.8 there)',
  },
  bad_cpu_of_single: { atMost: 3, from: OWN },
  handover_bytes_n4: { atMost: 700, from: OWN },
  handover_bytes_n100: { atMost: 5_500, from: OWN },
  extra_delay_ms: { atMost: 10, from: 'our own: none beside the noise of timers, as blocks are three delays apart' },
  extra_delay_ms_short_intervals: { atMost: 40, from: 'our own: two delays' },
  certificate_browser_ms: { atMost: 10, from: OWN },
  verify_1000_epochs_seconds: { atMost: 10, from: OWN },
  syncs_selective: { atMost: 2, from: 'CometBFT after selective syncs' },
  time_ratio: { atLeast: 23, from: 'CometBFT, where a sync costs 5 ms' },
  round_selective_ms: { atMost: 0.46, from: 'CometBFT’s way on this machine' },
  synced_write_of_disk: { atMost: 1, from: 'a write and an fdatasync, as CometBFT does' },
  last_height_ratio: { atLeast: 1, from: 'CometBFT’s search of its log' },
  syncs_per_view_follower: { atMost: 1, from: OWN },
  put_ratio: { atLeast: 10, from: 'Vilmo over LevelDB' },
  sustained_put_ratio: { atLeast: 10, from: 'Vilmo over LevelDB, whose batches had a block between them' },
  bytes_per_key: { atMost: 110, from: OWN },
  put_verifications: { atMost: 0.1, from: OWN },
  transfer_verifications: { atMost: 0.15, from: OWN },
  'state-tree bytes_per_key': { atMost: 64, from: OWN },
  rebuild_seconds: { atMost: 1, from: 'our own: an opening takes at most a second more for a million keys' },
  token_transfer_verifications: { atMost: 0.2, from: OWN },
  tick_overhead: { atMost: 0.1, from: OWN },
  worst_call_unit_ratio: { atMost: 2, from: 'our own: price and cost within a factor of two' },
  parallel_ratio_200us: { atLeast: 1.5, from: 'our own: where cores are idle' },
  parallel_ratio_conflicts: {
    atLeast: 0.9,
    from: 'our own: what cannot run in parallel loses no more than its handing over',
  },
  dev_reload_ms: { atMost: 2_000, from: OWN },
  transfer_throughput_ratio: { atLeast: 0.98, from: 'our own: chains without applications pay nothing for them' },
  proof_bytes_max: { atMost: 800, from: OWN },
  check_ms: { atMost: 1, from: OWN },
  pause_p99_ms: { atMost: 10, from: OWN },
  of_prediction_low: {
    atLeast: 0.9,
    from: 'nine tenths of consensus + d + E + C against consensus, as measured, with the same wait for a proposal in both',
  },
  of_prediction_virtual_low: { atLeast: 0.9, from: ZAPTOS },
  of_prediction_virtual_heavy: { atLeast: 0.9, from: ZAPTOS },
  of_prediction_virtual_data: { atLeast: 0.9, from: ZAPTOS },
  hidden_share_heavy: { atLeast: 0.9, from: OWN },
  peak_ratio: { atLeast: 0.9, from: 'Zaptos: the same peak throughput' },
  after_order_low_p50_ms: { atMost: 10, from: OWN },
  ahead_share_low: { atLeast: 0.95, from: OWN },
  block_interval_ms: { atMost: 110, from: OWN },
  finality_over_limit: { atMost: 1.05, from: 'the network itself' },
  block_ms_scaled: { atMost: 18, from: 'our own: docs/performance/throughput.md' },
  node_ms_per_second_scaled: { atMost: 45, from: 'our own: docs/performance/throughput.md' },
  transaction_us_scaled: { atMost: 78, from: 'our own: docs/performance/throughput.md' },
  share_of_limit: { atLeast: 0.65, from: OWN },
  'capacity share_of_limit': { atLeast: 0.6, from: OWN },
  distilled_tps_scaled: { atLeast: 60_000, from: OWN },
  distilled_finality_p99_ms: { atMost: 2_000, from: OWN },
  distilled_lost: { atMost: 0, from: OWN },
  ratio_to_made: { atLeast: 3, from: OWN },
  'catch-up tps_scaled': { atLeast: 15_000, from: OWN },
  finality_p99_ms: { atMost: 2000, from: OWN },
  refused_share: { atMost: 0.01, from: OWN },
  lost: { atMost: 0, from: OWN },
  row_verifications: { atMost: 0.08, from: OWN },
  expired: { atMost: 0, from: OWN },
  block_time_ratio_1_of_4: { atMost: 1.15, from: OWN },
  block_time_ratio_16_of_50: { atMost: 1.15, from: OWN },
  block_time_ratio_1_of_4_processes: { atMost: 1.15, from: OWN },
  worst_unit_ratio: { atMost: 2, from: OWN },
  rejoin_seconds: { atMost: 20, from: OWN },
  voting_again_seconds: { atMost: 20, from: OWN },
  cpu_seconds: { atMost: 1.5, from: OWN },
  ready_seconds: { atMost: 1, from: OWN },
  cores_idle: { atMost: 0.1, from: OWN },
  first_load_kb: { atMost: 300, from: OWN },
  pixel_p99_ms_overview: { atMost: 250, from: OWN },
  pixel_p99_ms_timeline: { atMost: 250, from: OWN },
  pixel_p99_ms_peers: { atMost: 250, from: OWN },
  pixel_p99_ms_dissemination: { atMost: 250, from: OWN },
  frames_per_second_overview: { atLeast: 30, from: OWN },
  frames_per_second_timeline: { atLeast: 30, from: OWN },
  frames_per_second_peers: { atLeast: 30, from: OWN },
  frames_per_second_dissemination: { atLeast: 30, from: OWN },
  heap_growth_mb_per_hour: { atMost: 2, from: 'our own: below 50 MB in a day that a page stays open' },
  cores_at_5_blocks: { atMost: 0.2, from: OWN },
};

/** `bench`: or a part of it, as `vryx:virtual`. */
export function goalOf(bench: string, claim: string): Goal | undefined {
  const [name] = bench.split(':', 1);
  return GOALS[`${name} ${claim}`] ?? GOALS[claim];
}

export function verdictOf(
  { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Goal,
  value: number,
) {
  return value >= atLeast && value <= atMost ? 'reached' : 'missed';
}

export function goalText({ atLeast, atMost }: Goal): string {
  return atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
}

/** The README's table "Measured", from docs/performance/README.md; `npm run bench -- NAME --record` rewrites it. */

type Figure = (bench: string, claim: string) => number;

interface Row {
  readonly what: string;
  readonly seen: (figure: Figure) => string;
  readonly command: string;
}

const BEGIN = '<!-- measured: made by npm run bench -- NAME --record -->';
const END = '<!-- /measured -->';

const fixed = (value: number, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const percent = (share: number, digits = 0) => `${fixed(100 * share, digits)} %`;
const times = (ratio: number, digits = 0) => `${fixed(ratio, digits)}x`;

/** Of two figures for one thing, the less favourable. */
const ROWS: readonly Row[] = [
  {
    what: '4 validators, a full node and the generator on two cores, each signature verified by all five, for a minute',
    seen: (of) => {
      const at = (claim: string) => of('throughput', claim);
      const rate = `${fixed(at('tps'))} transactions per second, p99 finality ${fixed(at('finality_p99_ms') / 1000, 2)} s`;
      const limit = `${percent(at('share_of_limit'), 1)} of the ${fixed(at('limit_tps'))} that verification alone allows; goal 65 %, open`;
      return `${rate}, ${fixed(at('lost'))} lost (${limit}); transactions of 1,000 bytes: ${fixed(at('tps_1000_bytes'))} per second`;
    },
    command: 'throughput',
  },
  {
    what: 'a node joins a chain of a million accounts under load',
    seen: (of) =>
      `${fixed(of('sync', 'rejoin_seconds'))} s; a validator votes again after ${fixed(of('sync', 'voting_again_seconds'))} s`,
    command: 'sync',
  },
  {
    what: 'parallel pipeline against sequential, eleven processes with injected delays of ten regions: from submission to commit at the full node',
    seen: (of) => {
      const at = (claim: string) => of('zaptos', claim);
      const low = `${percent(at('low_reduction'))} less at low load, ${fixed(at('of_prediction_low'), 2)} of what Zaptos’ theorem predicts`;
      return `${low}; a block’s commit ${fixed(at('after_order_low_p50_ms'))} ms after the order at p50; peak throughput ${times(at('peak_ratio'), 2)}`;
    },
    command: 'zaptos',
  },
  {
    what: 'the same in virtual time with costs charged: blocks costly to execute, 3 of 10 leaders equivocating, 3 of 10 validators crashed',
    seen: (of) => {
      const less = (claim: string) => percent(of('zaptos', claim));
      return `${less('virtual_heavy_reduction')}, ${less('equivocating_3_reduction')} and ${less('crashed_3_reduction')} less`;
    },
    command: 'zaptos',
  },
  {
    what: 'a node of an idle chain (a block per second), and at five blocks per second',
    seen: (of) => {
      const at = (claim: string) => of('idle', claim);
      return `${fixed(at('cores_idle'), 2)} and ${fixed(at('cores_at_5_blocks'), 2)} cores, ${fixed(at('rss_mb'))} MiB`;
    },
    command: 'idle',
  },
  {
    what: 'one check of a quorum of 67 votes, decoding included',
    seen: (of) => `${fixed(of('quorum', 'check_ms_n100'), 1)} ms`,
    command: 'quorum',
  },
  {
    what: 'verifications saved until the quorum against checking each vote, 10 and 100 validators',
    seen: (of) => {
      const saved = (n: number) => percent(of('quorum', `verifications_saved_n${n}`));
      return `${saved(10)}, ${saved(100)}`;
    },
    command: 'quorum',
  },
  {
    what: '128 signatures of one message in a batch, against one by one',
    seen: (of) =>
      `${times(of('batch', 'same_message_ratio'))} (${times(of('batch', 'same_message_blinded_ratio'))} where each is judged alone)`,
    command: 'batch',
  },
  {
    what: 'requests behind two BLS checks each, cache on against off',
    seen: (of) => times(of('cache', 'requests_ratio')),
    command: 'cache',
  },
  {
    what: 'a proposer’s round in the log: every write synced against one group commit',
    seen: (of) => {
      const at = (claim: string) => of('wal', claim);
      return `${fixed(at('syncs_all'))} syncs to ${fixed(at('syncs_selective'))}, ${times(at('time_ratio'))} less time`;
    },
    command: 'wal',
  },
  {
    what: '100,000 puts in the state store against LevelDB, synced alike',
    seen: (of) => {
      const at = (claim: string) => of('state', claim);
      const steady = `${times(at('sustained_put_ratio'), 1)} without a pause between batches`;
      const memory = `10 million accounts in ${fixed(at('bytes_per_key'))} bytes a key`;
      return `${times(at('put_ratio'), 1)}, ${steady}; ${memory}, pauses of ${fixed(at('pause_p99_ms'), 1)} ms at p99`;
    },
    command: 'state',
  },
  {
    what: '50 validators in ten regions, simulated links, costs charged: block interval, finality over the network’s own limit',
    seen: (of) => {
      const at = (claim: string) => of('geo', claim);
      return `${fixed(at('block_interval_ms'))} ms, ${fixed(at('finality_over_limit'), 3)} (early votes)`;
    },
    command: 'geo',
  },
];

/** Throws when the README has no place for it, or a figure of a recorded bench is missing. A bench that was never recorded has no row. */
export function withMeasuredTable(readme: string, performance: string): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin < 0 || end < begin) throw new Error('the README has no place for the table of what was measured');
  const figure = figuresOf(performance);
  const recorded = ROWS.filter(({ command }) => performance.includes(`\n## ${command}\n`));
  const rows = recorded.map(
    ({ what, seen, command }) => `| ${what} | ${seen(figure)} | \`npm run bench -- ${command}\` |`,
  );
  const table = ['| what | seen | command |', '|---|---|---|', ...rows].join('\n');
  return `${readme.slice(0, begin)}${BEGIN}\n${table}\n${readme.slice(end)}`;
}

function figuresOf(performance: string): Figure {
  const figures = new Map<string, number>();
  for (const section of performance.split(/^## /m).slice(1)) {
    const bench = section.slice(0, section.indexOf('\n'));
    for (const [, claim, value] of section.matchAll(/^\| ([a-z0-9_]+) \| (-?[0-9.]+) /gm)) {
      figures.set(`${bench} ${claim}`, Number(value));
    }
  }
  return (bench, claim) => {
    const value = figures.get(`${bench} ${claim}`);
    if (value === undefined) throw new Error(`docs/performance has no figure ${claim} of the bench ${bench}`);
    return value;
  };
}

import type { DemonstrationReport } from './demonstration.ts';

/** One sentence per fault; times are none. */
export function faultsOf({ transactions, audit, firstKeysLeft }: DemonstrationReport): readonly string[] {
  const counted = { lost: transactions.lost, pending: transactions.pending };
  const audited = Object.entries(audit.faults).map(([fault, ids]) => [fault, ids.length] as const);
  return [
    ...[...Object.entries(counted), ...audited]
      .filter(([, count]) => count > 0)
      .map(([fault, count]) => `${count} transactions are ${fault}`),
    ...firstKeysLeft.map((key) => `a first key is in force: ${key}`),
  ];
}

export function reportText(report: DemonstrationReport): string {
  const { steps, transactions, audit, finality, views, proofs } = report;
  const { at, elsewhere } = finality;
  const faults = faultsOf(report);
  const one = elsewhere.p99Ms + views.blockMs;
  const lostMost = Math.max(...steps.map(({ boundary }) => boundary.viewsLost));
  return [
    '',
    ...steps.map(
      ({ epoch, what, tookMs, boundary }) =>
        `  epoch ${epoch}: ${what}; ${(tookMs / 1000).toFixed(1)} s, height ${boundary.height}, ` +
        `${boundary.viewsLost} views lost, ${boundary.gapMs} ms to the next block`,
    ),
    `  transactions  ${transactions.final} final, ${transactions.lost} lost, ${audit.faults.twice.length} twice, ` +
      `${audit.faults.missing.length} missing, ${transactions.expired} expired, ${transactions.refused} refused`,
    `  finality p99  ${at.p99Ms} ms at boundaries (${at.transactions}), ${elsewhere.p99Ms} ms elsewhere (${elsewhere.transactions})`,
    `  finality p50  ${at.p50Ms} ms at boundaries, ${elsewhere.p50Ms} ms elsewhere`,
    `  a view more   ${one} ms would be one view more than elsewhere: ${at.p99Ms <= one ? 'not exceeded' : 'EXCEEDED'}`,
    `  views lost    at most ${lostMost} at a boundary; elsewhere ${views.lost} over ${views.blocks} blocks, ${views.blockMs} ms each`,
    `  first keys    ${report.firstKeysLeft.length} of them are in the committee`,
    `  proofs        ${proofs.map(({ epoch, height }) => `height ${height} (epoch ${epoch})`).join(' and ')} verify with the first genesis file`,
    ...faults.map((fault) => `  FAILED: ${fault}`),
    faults.length === 0 ? 'Nothing was lost.' : `${faults.length} faults.`,
  ].join('\n');
}

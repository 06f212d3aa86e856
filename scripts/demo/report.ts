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
  const lost = steps.map(({ boundary }) => boundary.viewsLost);
  const around = steps.reduce((sum, { boundary }) => sum + boundary.viewsLostAround, 0);
  return [
    '',
    ...steps.map(
      ({ epoch, what, tookMs, boundary }) =>
        `  epoch ${epoch}: ${what}; ${(tookMs / 1000).toFixed(1)} s, height ${boundary.height}, ` +
        `${boundary.viewsLost} views lost, ${boundary.gapMs} ms to the next block`,
    ),
    `  transactions  ${transactions.sent} sent: ${transactions.final} final, ${transactions.failed} failed, ${transactions.expired} expired, ` +
      `${transactions.lost} lost, ${transactions.pending} pending, ${transactions.refused} refused, ${transactions.unanswered} unanswered`,
    `  in the blocks ${audit.faults.twice.length} twice, ${audit.faults.missing.length} missing`,
    `  finality p99  ${textOf(at.p99Ms)} at boundaries (${at.transactions}), ${textOf(elsewhere.p99Ms)} elsewhere (${elsewhere.transactions})`,
    `  finality p50  ${textOf(at.p50Ms)} at boundaries, ${textOf(elsewhere.p50Ms)} elsewhere`,
    `  a view more   ${viewMoreText(report)}`,
    `  views lost    at most ${Math.max(...lost)} at a boundary, ${around} in all around them; elsewhere ${views.lost} over ${views.blocks} blocks, ${views.blockMs} ms each`,
    `  first keys    ${report.firstKeysLeft.length} of them are in the committee`,
    `  proofs        ${proofs.map(({ epoch, height }) => `height ${height} (epoch ${epoch})`).join(' and ')} verify with the first genesis file`,
    ...faults.map((fault) => `  FAILED: ${fault}`),
    faults.length === 0 ? 'Nothing was lost.' : `${faults.length} faults.`,
  ].join('\n');
}

function viewMoreText({ finality: { at, elsewhere }, views }: DemonstrationReport): string {
  if (at.p99Ms === null || elsewhere.p99Ms === null) return 'not measured: too few transactions';
  const one = elsewhere.p99Ms + views.blockMs;
  return `${one} ms would be one view more than elsewhere: ${at.p99Ms <= one ? 'not exceeded' : 'EXCEEDED'}`;
}

function textOf(ms: number | null): string {
  return ms === null ? 'unknown' : `${ms} ms`;
}

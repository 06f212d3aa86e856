/** The report of the demonstration. */
import { expect, it } from 'vitest';
import type { DemonstrationReport } from '../../scripts/demo/demonstration.ts';
import { sampleFinality } from '../../scripts/demo/finality.ts';
import { faultsOf, reportText } from '../../scripts/demo/report.ts';

const BOUNDARY = { height: 70, viewsLost: 1, viewsLostAround: 4, endedMs: 1_000, gapMs: 100 };
const COUNTS = { sent: 20, accepted: 18, attested: 18, final: 15, failed: 1, expired: 2, lost: 0 };

function reportWith(change: Partial<DemonstrationReport> = {}): DemonstrationReport {
  const faults = { twice: [], missing: [], resurrected: [], contradicted: [] };
  return {
    steps: [{ what: 'a step', epoch: 1, tookMs: 1_000, boundary: BOUNDARY }],
    transactions: { ...COUNTS, refused: 1, unanswered: 1, pending: 0 },
    audit: { blocks: 9, transactions: 16, final: 15, failed: 1, expired: 2, faults, exactlyOnce: true },
    finality: {
      at: { transactions: 5, p50Ms: 200, p99Ms: 350 },
      elsewhere: { transactions: 10, p50Ms: 150, p99Ms: 300 },
    },
    views: { blocks: 60, blockMs: 50, lost: 3 },
    firstKeysLeft: [],
    proofs: [],
    ...change,
  };
}

it('names every end of the transactions, and views lost at boundaries, around them and elsewhere', () => {
  const text = reportText(reportWith());
  expect(text).toContain('20 sent: 15 final, 1 failed, 2 expired, 0 lost, 0 pending, 1 refused, 1 unanswered');
  expect(text).toContain('at most 1 at a boundary, 4 in all around them; elsewhere 3 over 60 blocks');
  expect(text).toContain('350 ms would be one view more than elsewhere: not exceeded');
  expect(text).toContain('Nothing was lost.');
});

it('says when finality at boundaries is worse by more than a view, and when it was not measured', () => {
  const { elsewhere, at } = reportWith().finality;
  expect(reportText(reportWith({ finality: { elsewhere, at: { ...at, p99Ms: 351 } } }))).toContain('EXCEEDED');
  const none = reportText(reportWith({ finality: { elsewhere, at: { transactions: 0, p50Ms: null, p99Ms: null } } }));
  expect(none).toContain('not measured');
  expect(none).not.toContain('exceeded');
});

it('counts each fault of the audit, and keys that are left', () => {
  const { audit, transactions } = reportWith();
  const faults = { ...audit.faults, twice: ['0x01'], contradicted: ['0x02', '0x03'] };
  const failed = reportWith({
    audit: { ...audit, faults },
    transactions: { ...transactions, pending: 2 },
    firstKeysLeft: ['0x0a'],
  });
  expect(faultsOf(failed)).toEqual([
    '2 transactions are pending',
    '1 transactions are twice',
    '2 transactions are contradicted',
    'a first key is in force: 0x0a',
  ]);
  expect(reportText(failed)).not.toContain('Nothing was lost');
});

it('finality of no transaction is unknown', () => {
  const sent = { onLatency: () => () => {} } as unknown as Parameters<typeof sampleFinality>[0]['sent'];
  const nothing = { transactions: 0, p50Ms: null, p99Ms: null };
  expect(sampleFinality({ sent }).around([BOUNDARY])).toEqual({ at: nothing, elsewhere: nothing });
});

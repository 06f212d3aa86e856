import { describe, expect, it } from 'vitest';
import { play } from './runs.ts';

const FOUND = [
  {
    fault: 'after a restart a node did not know by which certificate it was in its view, and never led others into it',
    run: { scenario: 'restart-under-loss', size: 4, seed: 3, realBls: false },
  },
  {
    fault: 'a block was asked of the first four signers for ever: four silent ones starved whoever missed it',
    run: { scenario: 'trap-silent-proposer', size: 13, seed: 2, realBls: false },
  },
  {
    fault: 'the checker asked a node to block a liar whose votes never reached it in time for a quorum',
    run: { scenario: 'invalid-signer', size: 7, seed: 13, realBls: true },
  },
  {
    fault: 'the same, with signatures that are no points of the curve',
    run: { scenario: 'invalid-signer', size: 7, seed: 17, realBls: true },
  },
  {
    fault:
      'the checker asked to block a liar that never had occasion to lie, behind another that is nullified each time',
    run: { scenario: 'contradicting-kinds', size: 7, seed: 3, realBls: false },
  },
  {
    fault:
      'the scenario blamed the rules for a view whose leader waited for a liar to answer its signing-history query',
    run: { scenario: 'unreliable', size: 5, seed: 3, realBls: false },
  },
  {
    fault:
      'the checker held a node to a proposal that died on the way to all, in the crash that its disk was damaged in',
    run: { scenario: 'damaged-disk', size: 4, seed: 1, realBls: false },
  },
  {
    fault: 'a producer without room left for the largest chunk could send bombs for ever and was never blamed',
    run: { scenario: 'decompression-bomb', size: 4, seed: 5, realBls: false },
  },
  {
    fault:
      'a leader that showed two blocks cost two views of honest leaders: early votes went on in the view they had split',
    run: { scenario: 'equivocator-optimistic', size: 4, seed: 11, realBls: false },
  },
  {
    fault:
      "the simulated application's own chunk store threw on a log that had failed, before the node could stop and say so",
    run: { scenario: 'disk-full', size: 5, seed: 1, realBls: false },
  },
  {
    fault:
      'who was killed while it committed what it had fetched stopped at the next fetch, in every life: its root had the certificate of a later block',
    run: { scenario: 'hailstorm', size: 4, seed: 9001, realBls: false },
  },
  {
    fault:
      'a leader whose links had once been slow took blocks of a backlog for the best there is, and waited longer for ever',
    run: { scenario: 'as-fast-as-before', size: 4, seed: 14, realBls: false },
  },
  {
    fault:
      'the checker held a node to an acknowledgement that it had signed while its ledger took the block of the chunk',
    run: { scenario: 'transactions-and-power-cuts', size: 4, seed: 2, realBls: false },
  },
] as const;

describe('faults once found', () => {
  it.each(FOUND)('stay away: $fault', async ({ run }) => {
    expect((await play(run)).failure).toBeUndefined();
  });
});

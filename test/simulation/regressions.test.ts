import { describe, expect, it } from 'vitest';
import { play } from './runs.ts';

const FOUND = [
  {
    fault: 'after a restart a node lacked the certificate of its view, and never led others into it',
    run: { scenario: 'restart-under-loss', size: 4, seed: 3, realBls: false },
  },
  {
    fault: 'a block was requested from the first four signers only: four unresponsive ones prevented its fetch',
    run: { scenario: 'trap-silent-proposer', size: 13, seed: 2, realBls: false },
  },
  {
    fault: 'the checker required a node to block a liar whose votes never reached it in time for a quorum',
    run: { scenario: 'invalid-signer', size: 7, seed: 13, realBls: true },
  },
  {
    fault: 'the checker required a block for late votes whose signatures are no points of the curve',
    run: { scenario: 'invalid-signer', size: 7, seed: 17, realBls: true },
  },
  {
    fault: 'the checker required a block for a liar that never led, after another whose views were nullified',
    run: { scenario: 'contradicting-kinds', size: 7, seed: 3, realBls: false },
  },
  {
    fault: 'the scenario failed on a view whose leader waited for a liar to answer its signing-history query',
    run: { scenario: 'unreliable', size: 5, seed: 3, realBls: false },
  },
  {
    fault: 'the checker counted a proposal that reached no peer before the crash that damaged the disk',
    run: { scenario: 'damaged-disk', size: 4, seed: 1, realBls: false },
  },
  {
    fault: 'a producer at its storage limit could send decompression bombs without being blocked',
    run: { scenario: 'decompression-bomb', size: 4, seed: 5, realBls: false },
  },
  {
    fault: 'an equivocating leader cost two views of honest leaders: early votes continued in the split view',
    run: { scenario: 'equivocator-optimistic', size: 4, seed: 11, realBls: false },
  },
  {
    fault: 'the simulated chunk store threw on a failed log before the node could stop and report it',
    run: { scenario: 'disk-full', size: 5, seed: 1, realBls: false },
  },
  {
    fault:
      'a node killed while it committed fetched blocks stopped at each next fetch: its root had a later certificate',
    run: { scenario: 'hailstorm', size: 4, seed: 9001, realBls: false },
  },
  {
    fault: 'a leader with once slow links took the interval of a backlog for the best one, and kept waiting longer',
    run: { scenario: 'as-fast-as-before', size: 4, seed: 14, realBls: false },
  },
  {
    fault: 'the checker counted an acknowledgement that was signed while the ledger committed the block of the chunk',
    run: { scenario: 'transactions-and-power-cuts', size: 4, seed: 2, realBls: false },
  },
  {
    fault: 'the checker counted a corrupted leader’s proposal as the signature of the honest node that relayed it',
    run: { scenario: 'leaked-old-quorum', size: 4, seed: 4, realBls: false },
  },
  {
    fault: 'a node that passed a boundary by a range stopped: its closed core stood in a view below the last final one',
    run: { scenario: 'partition-over-boundary', size: 7, seed: 1, realBls: false },
  },
  {
    fault: 'a node that had missed the state certificates of an ended epoch waited for one that no peer had any more',
    run: { scenario: 'partition-over-boundary', size: 4, seed: 7, realBls: false },
  },
  {
    fault:
      'a node whose store lacked a block of the ledger halted after a seal: it took the block’s certificate for another chain’s',
    run: { scenario: 'whole-epochs-crashes', size: 4, seed: 2, realBls: false },
  },
  {
    fault: 'a broker was charged for each of five batches under way that paid nothing, and was refused for 80 s',
    run: { scenario: 'whole-batches', size: 4, seed: 5, realBls: false },
  },
  {
    fault: 'the first node to move to an epoch asked members that had not: unanswered, it lost its turn a second later',
    run: { scenario: 'turn-thief', size: 10, seed: 13, realBls: false },
  },
] as const;

describe('fixed faults', () => {
  it.each(FOUND)('do not recur: $fault', async ({ run }) => {
    expect((await play(run)).failure).toBeUndefined();
  });
});

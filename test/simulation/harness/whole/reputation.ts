/**
 * Leader reputation, counted again from the committed blocks (docs/protocol/epochs.md, "Leader reputation").
 *
 * Without the code of the execution: a benched member proposes nothing, each bench has its lost turns and each return its blocks, no seal
 * passes over a member that is due, and the benched stay below a third.
 */
import { assert } from '@slipstream/primitives';
import { createLeaderSchedule } from '@slipstream/types';
import type { Cluster } from '../cluster.ts';
import type { WholeRecord } from './record.ts';

export const BENCH_BLOCKS = 1_024;
const BENCH_BLOCKS_MAX = 16_384;
const LOST_TURNS = 3;
/** An epoch is sealed at this block or later. */
const EPOCH_BLOCKS = 64;

interface Standing {
  lostTurns: number;
  isDue: boolean;
  leads: boolean;
  benchBlocks: number;
  /** Benched: no return before. Then: end of the probation. */
  untilHeight: number;
}

interface ReputationCounts {
  readonly benches: number;
  readonly returns: number;
  readonly benchBlocksMax: number;
  readonly lostTurns: number;
  readonly epochs: number;
}

/** Members keep their places and have weight 1. Throws for a violation. */
export function checkReputation(cluster: Cluster, record: WholeRecord): ReputationCounts {
  const recount = createRecount(cluster, record);
  for (let height = 1; height <= record.blocks.size; height++) recount.add(height);
  return recount.counts;
}

interface Recount {
  /** The block of the next height. */
  add(height: number): void;
  readonly counts: ReputationCounts;
}

function createRecount({ chain, members }: Cluster, record: WholeRecord): Recount {
  const { blocks, boundaries, seals } = record;
  const standings = members.map(
    (): Standing => ({ lostTurns: 0, isDue: false, leads: true, benchBlocks: 0, untilHeight: 0 }),
  );
  const counts = { benches: 0, returns: 0, benchBlocksMax: 0, lostTurns: 0, epochs: 1 + boundaries.size };
  const of = (member: number) => standings[member] as Standing;
  const committeeOf = (epoch: number) => (epoch === 0 ? chain.committee : seals.get(epoch)?.committee);
  const scheduleOf = (epoch: number) => createLeaderSchedule(committeeOf(epoch) ?? chain.committee, chain.genesisHash);
  const benched = () => standings.filter(({ leads }) => !leads).length;
  const hasRoom = () => 3 * (benched() + 1) < members.length;
  let schedule = { epoch: 0, leaderOf: scheduleOf(0) };

  /** Each once. */
  function leadersBetween(epoch: number, parentView: number, view: number): ReadonlySet<number> {
    if (schedule.epoch !== epoch) schedule = { epoch, leaderOf: scheduleOf(epoch) };
    const leaders = new Set<number>();
    for (let lost = parentView + 1; lost < view; lost++) leaders.add(schedule.leaderOf(lost as never));
    return leaders;
  }

  function loseTurn(standing: Standing, height: number): void {
    if (!standing.leads) return;
    counts.lostTurns++;
    standing.lostTurns++;
    standing.isDue ||= standing.lostTurns >= (isOnProbation(standing, height) ? 1 : LOST_TURNS);
  }

  function seal(epoch: number, height: number): void {
    for (const member of members) {
      const standing = of(member);
      const leads = committeeOf(epoch)?.members[member]?.leads === true;
      if (leads === standing.leads) continue;
      if (!leads) bench(standing, height, `${member} at height ${height}`);
      else comeBack(standing, height, `${member} at height ${height}`);
    }
    assert(3 * benched() < members.length, `less than a third is benched (${benched()} at height ${height})`);
  }

  function bench(standing: Standing, height: number, who: string): void {
    assert(standing.isDue, `benched members have lost their turns: ${who}, ${standing.lostTurns}`);
    const benchBlocks = isOnProbation(standing, height)
      ? Math.min(2 * standing.benchBlocks, BENCH_BLOCKS_MAX)
      : BENCH_BLOCKS;
    Object.assign(standing, {
      lostTurns: 0,
      isDue: false,
      leads: false,
      benchBlocks,
      untilHeight: height + benchBlocks,
    });
    counts.benches++;
    counts.benchBlocksMax = Math.max(counts.benchBlocksMax, benchBlocks);
  }

  function comeBack(standing: Standing, height: number, who: string): void {
    assert(height >= standing.untilHeight, `benched members wait until ${standing.untilHeight}: ${who}`);
    Object.assign(standing, { lostTurns: 0, isDue: false, leads: true, untilHeight: height + standing.benchBlocks });
    counts.returns++;
  }

  function add(height: number): void {
    const block = blocks.get(height);
    assert(block !== undefined, `block ${height} is recorded`);
    const { epoch, view, parentView, proposer } = block;
    assert(committeeOf(epoch)?.members[proposer]?.leads === true, `${proposer} proposes while benched (${height})`);
    Object.assign(of(proposer), { lostTurns: 0, isDue: false });
    for (const leader of leadersBetween(epoch, parentView, view)) if (leader !== proposer) loseTurn(of(leader), height);
    const sealedAt = seals.get(epoch + 1)?.height ?? Number.POSITIVE_INFINITY;
    if (height === sealedAt) seal(epoch + 1, height);
    const mayEnd = height - (boundaries.get(epoch - 1) ?? 0) >= EPOCH_BLOCKS && height <= sealedAt;
    const overdue = mayEnd && hasRoom() ? members.filter((member) => of(member).isDue) : [];
    assert(overdue.length === 0, `members that are due are benched by the next seal (${overdue} at ${height})`);
  }

  return { add, counts };
}

function isOnProbation({ leads, benchBlocks, untilHeight }: Standing, height: number): boolean {
  return leads && benchBlocks > 0 && height <= untilHeight;
}

import { CRASH_MODES } from '@slipstream/simulator';
import { type Block, blockIdOf, hexOf, type ProposalKind, type Vote } from '@slipstream/types';
import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf, type Liar, type Rewrite, rivalOf } from '../attackers/corrupted.ts';
import type { Scenario } from '../scenario.ts';

/** Half of the network sees one block, half another, with the liar's proposal, votes and confirmation; sometimes all see both. */
export function twoFaced(liar: Liar, kinds: readonly ProposalKind[], size: number): Rewrite {
  const rivals = new Map<string, Block>();
  const toAll = liar.random.chance(0.3);
  const seesRival = (to: number) => to >= 0 && to % 2 === (size >> 1) % 2;

  async function rivalVotes(votes: readonly Vote[]): Promise<Vote[]> {
    const changed: Vote[] = [];
    for (const vote of votes) {
      const rival =
        vote.subject.kind === 'notarize' || vote.subject.kind === 'finalize'
          ? rivals.get(hexOf(vote.subject.blockId))
          : undefined;
      changed.push(rival ? await liar.vote({ ...vote.subject, blockId: blockIdOf(rival) } as Vote['subject']) : vote);
    }
    return changed;
  }

  return async (frame, to) => {
    if (frame.name === 'proposal' && kinds.includes(frame.value.kind)) {
      const { kind, block } = frame.value;
      const rival = rivalOf(block);
      const rivalId = blockIdOf(rival);
      rivals.set(hexOf(blockIdOf(block)), rival);
      const signature = await liar.proposal(kind, rival, rivalId);
      const other = frameOf('proposal', { ...frame.value, block: rival, signature });
      if (toAll) return [frame, other];
      return [seesRival(to) ? other : frame];
    }
    if (frame.name === 'consensus' && seesRival(to)) {
      const votes = await rivalVotes(frame.value.votes);
      const confirmations = await Promise.all(
        frame.value.confirmations.map(async (confirmation) => {
          const rival = rivals.get(hexOf(confirmation.blockId));
          if (!rival) return confirmation;
          const blockId = blockIdOf(rival);
          return { ...confirmation, blockId, signature: await liar.proposal('normal', rival, blockId) };
        }),
      );
      return [frameOf('consensus', { ...frame.value, votes, confirmations })];
    }
    return [frame];
  };
}

const equivocator = (name: string, kinds: readonly ProposalKind[]): Scenario =>
  attackScenario({
    name,
    about: `Lying leaders make two ${kinds.join(' and ')} proposals a view, one for each half of the network or both for all.`,
    blockedFor: 'maybe',
    code: (_liar, { size }) => corrupted((liar) => twoFaced(liar, kinds, size)),
  });

export const optimisticEquivocator = equivocator('equivocator-optimistic', ['optimistic']);
export const normalEquivocator = equivocator('equivocator-normal', ['normal']);
export const fullEquivocator = equivocator('equivocator', ['optimistic', 'normal']);

/** Another block at each repetition: a node that lost its vote at a restart would vote for both. */
export const changeableEquivocator: Scenario = attackScenario({
  name: 'equivocator-and-restarts',
  about: 'Lying leaders send one of two blocks, chosen at random each time, to validators that lose power repeatedly.',
  blockedFor: 'maybe',
  costMax: 2, // power cuts cost views
  options: { consensus: { historyQueryMs: 10 } },
  code: () =>
    corrupted((liar) => async (frame) => {
      if (frame.name !== 'proposal' || liar.random.chance(0.5)) return [frame];
      const block = rivalOf(frame.value.block);
      const signature = await liar.proposal(frame.value.kind, block, blockIdOf(block));
      return [frameOf('proposal', { ...frame.value, block, signature })];
    }),
  async meanwhile({ run, honest, node, restart }, { random }) {
    for (let round = 0; round < 60; round++) {
      await run(random.below(60));
      const member = random.pick(honest);
      if (node(member).alive) restart(member, random.pick(CRASH_MODES));
    }
  },
});

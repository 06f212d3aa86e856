/** Liars at the end of an epoch (rule 10): they hide the boundary, build above it what is no filler, or take the turns of others. */
import { assert, sha256, utf8 } from '@slipstream/primitives';
import {
  asId,
  type Block,
  blockIdOf,
  height,
  type Proposal,
  payloadRootOf,
  type RecordHash,
  type Subject,
} from '@slipstream/types';
import { type Attack, attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf, type Liar } from '../attackers/corrupted.ts';
import { holdFinality } from '../attackers/held-finality.ts';
import type { Cluster } from '../harness/cluster.ts';
import type { Scenario } from '../scenario.ts';
import { untilEpoch } from './epochs.ts';

const application = { sealsEvery: 6 } as const;
/** Three epochs of 14 blocks or more. */
const EPOCHS = 3;
const WITHIN_MS = 300_000;

const FALSE_RECORD = asId<RecordHash>(sha256(utf8('a record that was not sealed')));

const throughEpochs = {
  options: { application },
  meanwhile: (cluster: Cluster) => untilEpoch(cluster, EPOCHS, WITHIN_MS),
} as const satisfies Partial<Attack>;

async function resigned(liar: Liar, proposal: Proposal, change: Partial<Proposal>): Promise<Proposal> {
  const changed = { ...proposal, ...change };
  const { kind, block } = changed;
  return { ...changed, signature: await liar.proposal(kind, block, blockIdOf(block)) };
}

type Filling = (proposal: Proposal, boundary: Block) => Partial<Proposal>;

/** What no filler may be. */
const FILLINGS: readonly Filling[] = [
  ({ block }, { payload }) => ({ block: { ...block, payload, payloadRoot: payloadRootOf(payload) } }),
  ({ block }) => ({ block: { ...block, next: undefined } }),
  ({ block }) => ({ block: { ...block, next: FALSE_RECORD } }),
  () => ({ kind: 'optimistic', justification: [] }),
];

export const payloadFiller: Scenario = {
  name: 'payload-filler',
  about:
    'A boundary is not final for a while, and lying leaders put above it a payload, another record, none, or an optimistic child: they are blocked, and the next epoch begins with the boundary.',
  async play(stage) {
    const hold = holdFinality(0);
    const filling = stage.random.pick(FILLINGS);
    const attack = attackScenario({
      name: 'payload-filler',
      about: '',
      blockedFor: ['malformed-frame'],
      onOccasion: true,
      options: { application, code: hold.around() },
      code: (_liar, _stage, lied) =>
        hold.around(
          corrupted((liar) => async (frame) => {
            if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
            if (frame.name !== 'proposal') return [frame];
            const boundary = liar.boundaryOf(0);
            const { block } = frame.value;
            const isFiller = boundary !== undefined && block.epoch === 0 && block.view > boundary.view;
            if (!isFiller || block.parentView < boundary.view) return [frame];
            lied();
            return [frameOf('proposal', await resigned(liar, frame.value, filling(frame.value, boundary)))];
          }),
        ),
      async meanwhile(cluster) {
        const viewOf = (member: number) => cluster.node(member).running?.consensus?.status().view ?? 0;
        const hasLed = () => cluster.honest.every((member) => viewOf(member) > hold.boundaryView + stage.size + 1);
        await cluster.until('each has led above the boundary', hasLed, WITHIN_MS);
        cluster.mark('finality returns');
        hold.release();
        await untilEpoch(cluster, 2, WITHIN_MS);
      },
    });
    await attack.play(stage);
  },
};

export const withheldBoundary = attackScenario({
  name: 'withheld-boundary',
  about:
    'Liars show the block that closes an epoch, and all votes and certificates from its view on, to some only, another set in each view: every node begins each epoch.',
  ...throughEpochs,
  blockedFor: 'never',
  // The votes that it keeps back may be the last of a quorum.
  costMax: 1,
  code: (_liar, { size }) =>
    corrupted((liar) => {
      const chosen = new Map<number, ReadonlySet<number>>();
      function mayKnow(view: number, to: number): boolean {
        const count = liar.random.below(size);
        const set = chosen.get(view) ?? new Set(Array.from({ length: count }, () => liar.random.below(size)));
        chosen.set(view, set);
        return set.has(to);
      }
      function isOfEnd({ epoch, view }: Pick<Subject, 'epoch' | 'view'>): boolean {
        return view >= (liar.boundaryOf(epoch)?.view ?? Number.POSITIVE_INFINITY);
      }
      return async (frame, to) => {
        if (frame.name === 'proposal') {
          const { block } = frame.value;
          return block.next !== undefined && !mayKnow(block.view, to) ? [] : [frame];
        }
        if (frame.name !== 'consensus') return [frame];
        const isShown = ({ subject }: { readonly subject: Subject }) => !isOfEnd(subject) || mayKnow(subject.view, to);
        const { votes, certificates, confirmations } = frame.value;
        return [
          frameOf('consensus', {
            votes: votes.filter(isShown),
            certificates: certificates.filter(isShown),
            confirmations: confirmations.filter((each) => !isOfEnd(each)),
          }),
        ];
      };
    }),
});

/** The first view of an epoch needs no justification, and its root is final by definition. */
export const turnThief = attackScenario({
  name: 'turn-thief',
  about:
    'Lying leaders propose children of an epoch’s root, as if all turns since it began were lost: no turn of another is lost by it.',
  options: { application },
  blockedFor: 'maybe',
  onOccasion: true,
  blocksEach: 8,
  code: (_liar, _stage, lied) =>
    corrupted((liar) => async (frame) => {
      if (frame.name === 'consensus') return [frameOf('consensus', { ...frame.value, confirmations: [] })];
      if (frame.name !== 'proposal') return [frame];
      const { block } = frame.value;
      const root = liar.boundaryOf(block.epoch - 1);
      if (root === undefined || block.parentView <= root.view) return [frame];
      lied();
      const thief: Block = {
        ...block,
        height: height(root.height + 1),
        parentId: blockIdOf(root),
        parentView: root.view,
        next: undefined,
      };
      return [
        frameOf('proposal', await resigned(liar, frame.value, { kind: 'normal', justification: [], block: thief })),
      ];
    }),
  async atLast(cluster) {
    await untilEpoch(cluster, 2, WITHIN_MS);
    assert(cluster.checks.blocking.blockedMembers.length < cluster.members.length / 3, 'the others go on');
  },
});

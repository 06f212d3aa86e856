import type { BlockList } from '../../../packages/consensus/src/block-list.ts';
import type { BlockEntry } from '../../../packages/consensus/src/block-tree.ts';
import type { CertificateStore } from '../../../packages/consensus/src/certificate-store.ts';
import type { Context } from '../../../packages/consensus/src/context.ts';
import { createOwnRecord, type OwnView } from '../../../packages/consensus/src/own-record.ts';
import type { Candidate } from '../../../packages/consensus/src/proposal-store.ts';
import { leaderFault } from '../../../packages/consensus/src/rules/dead-leaders.ts';
import { earlyParent } from '../../../packages/consensus/src/rules/early-vote.ts';
import { certifyExecuted, finalizeNotarized } from '../../../packages/consensus/src/rules/finalize.ts';
import { notarizeCurrentView, notarizeNextView } from '../../../packages/consensus/src/rules/notarize.ts';
import { follows, isOfView, mayBeConfirmed } from '../../../packages/consensus/src/rules/proposal-fault.ts';
import { enterViews, nullifyOnTimeout } from '../../../packages/consensus/src/rules/views.ts';
import { bytesEqual } from '../../../packages/primitives/src/index.ts';
import { type Block, type BlockId, type Committee, isQuorum, type View } from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/consensus/src';

type Judge = (context: Context, candidate: Candidate) => string;

export const VOTING_MUTATIONS: readonly Mutation[] = [
  {
    name: 'notarize-twice',
    about: 'I1: votes again in a view when another candidate arrives',
    changes: [
      {
        within,
        inside: notarizeCurrentView,
        replace: (own: OwnView, other: boolean) => [own.notarize || own.nullify || other, own.nullify || other],
      },
      {
        within,
        inside: notarizeCurrentView,
        replace: (judge: Judge, context: Context, candidate: Candidate) => [
          judge(context, candidate) !== 'yes',
          // Only the higher of two ids wins; otherwise it would alternate without end.
          judge(context, candidate) !== 'yes' ||
            (context.own.at(candidate.view).notarize?.[0] ?? -1) >= (candidate.blockId[0] ?? 0),
        ],
      },
      { within, replace: (own: OwnView) => [own.notarize === undefined, true] },
    ],
    scenarios: ['equivocator-optimistic'],
  },
  {
    name: 'early-vote-for-any-proposal',
    about: 'rule 4a: votes early for a child of a block that it has not voted for',
    changes: [
      {
        within,
        inside: notarizeNextView,
        replace: (context: Context) => [
          earlyParent(context),
          context.setting.options.earlyVoteViews < 1 ? undefined : context.lastFinal.blockId,
        ],
      },
      {
        within,
        inside: notarizeNextView,
        replace: (block: Block, parentId: Uint8Array) => [bytesEqual(block.parentId, parentId), true],
      },
    ],
    scenarios: ['lossy-links', 'withheld-notarization'],
  },
  {
    name: 'early-votes-go-on',
    about: 'rule 4a: votes early in any view, on blocks of any leader, however they were proposed',
    changes: [
      {
        within,
        inside: earlyParent,
        replace: (mayVote: boolean, own: OwnView) => [mayVote ? own.notarize : undefined, own.notarize],
      },
    ],
    scenarios: ['leader-to-a-subset', 'trap-split-votes'],
  },
  {
    name: 'early-votes-on-normal-proposals',
    about: 'rule 4a: votes early for a child of a block that its leader proposed normally',
    changes: [
      {
        within,
        inside: earlyParent,
        replace: (context: Context, view: View, blockId: BlockId) => [
          context.proposals.kindOf(view, blockId) !== 'optimistic',
          false,
        ],
      },
    ],
    scenarios: ['equivocator-optimistic'],
  },
  {
    name: 'nullify-after-finalize',
    about: 'I2: a timer nullifies a view that was finalized',
    changes: [
      {
        within,
        inside: nullifyOnTimeout,
        replace: (own: OwnView, other: boolean) => [own.nullify || own.finalize || other, own.nullify || other],
      },
      {
        within,
        inside: createOwnRecord,
        everywhere: true,
        replace: (own: OwnView) => [own.finalize === undefined, true],
      },
      {
        within,
        inside: enterViews,
        replace: (highest: NonNullable<ReturnType<CertificateStore['highest']>>, context: Context) => [
          !highest || highest.view < context.view,
          !highest ||
            highest.view < context.view ||
            (highest.certificate.subject.kind === 'notarize' && context.nowMs < context.pacemaker.viewDeadlineMs),
        ],
      },
      { within, replace: (context: Context) => [context.view >= context.lastFinal.view, true] },
    ],
    scenarios: ['withheld-notarization', 'lossy-links'],
  },
  {
    name: 'finalize-after-nullify',
    about: 'I2: finalizes a notarized view although it was nullified here',
    changes: [
      {
        within,
        inside: finalizeNotarized,
        replace: (own: OwnView, other: boolean) => [own.nullify || own.finalize || other, own.finalize || other],
      },
      { within, inside: createOwnRecord, everywhere: true, replace: (own: OwnView) => [!own.nullify, true] },
    ],
    scenarios: ['lossy-links', 'withheld-notarization', 'partition-and-heal'],
  },
  {
    name: 'dead-leaders-waited-for',
    about: 'rule 5b: the leader timer of a leader that is dead or blocked runs to its end',
    changes: [{ within, replace: (context: Context) => [leaderFault(context), undefined] }],
    scenarios: ['dead-leaders', 'blocked-leaders'],
  },
  {
    name: 'blocked-leaders-waited-for',
    about: 'rule 5b: a blocked leader is waited for like any other',
    changes: [
      {
        within,
        inside: leaderFault,
        replace: (list: BlockList, leader: number) => [list.isBlocked(leader), false],
      },
    ],
    scenarios: ['blocked-leaders'],
  },
  {
    name: 'break-of-all-links-blamed-on-leaders',
    about: 'rule 5b: a node to which no quorum was active takes leaders for dead',
    changes: [
      {
        within,
        inside: leaderFault,
        replace: (heardMs: number, sinceMs: number) => [Math.max(heardMs, sinceMs), heardMs],
      },
    ],
    scenarios: ['no-quorum-active'],
  },
  {
    name: 'leaders-soon-taken-for-dead',
    about: 'rule 5b: a leader is dead 100 ms after its last frame',
    changes: [
      {
        within,
        inside: leaderFault,
        replace: (heardMs: number, sinceMs: number, skipAfterMs: number) => [
          Math.max(heardMs, sinceMs) + skipAfterMs,
          heardMs + 100,
        ],
      },
    ],
    scenarios: ['leaders-that-look-dead'],
  },
  {
    name: 'quorum-of-half',
    about: 'a quorum is off by one: two of three thirds are enough',
    changes: [
      {
        within: 'packages/types/src',
        inside: isQuorum,
        replace: (weight: number, committee: Committee) => [
          3 * weight > 2 * committee.totalWeight,
          3 * weight + 3 > 2 * committee.totalWeight,
        ],
      },
    ],
    scenarios: ['all-online', 'partition-and-heal'],
  },
  {
    name: 'skip-nullification-check',
    about: 'rule 4: votes for a block although views between it and its parent were not nullified',
    changes: [
      { within, replace: (store: CertificateStore, from: View, to: View) => [store.firstGap(from, to), undefined] },
      { within, replace: (store: CertificateStore, at: View) => [!store.nullified(at), false] },
      { within, replace: (block: Block, context: Context) => [block.parentView < context.lastFinal.view, false] },
    ],
    scenarios: ['forker'],
  },
  {
    name: 'any-block-confirmed',
    about: 'rule 4: a leader may confirm a block of another view, which gets votes in the view of the leader',
    changes: [
      {
        within,
        replace: (context: Context, entry: BlockEntry, candidate: Candidate) => [
          !isOfView(context, entry.block, candidate.view),
          false,
        ],
      },
      { within, inside: mayBeConfirmed, replace: (fault: string | undefined) => [fault === undefined, true] },
      {
        within,
        inside: finalizeNotarized,
        replace: (entry: BlockEntry, view: View) => [entry.block.view === view, true],
      },
      { within, inside: 'deliverPath', replace: (last: BlockEntry, view: View) => [last.block.view === view, true] },
    ],
    scenarios: ['trap-made-up-confirmation', 'lying-confirmer'],
  },
  {
    name: 'no-confirmation',
    about:
      'rules 3 and 4: an optimistic proposal needs no confirmation in a view entered by a nullification, and gets none',
    changes: [{ within, replace: (own: OwnView) => [own.normal || !own.optimistic, true] }],
    scenarios: ['all-online', 'trap-cascade', 'lossy-links'],
  },
  {
    name: 'blocks-that-do-not-follow',
    about: 'rule 4: height, parent view and timestamp of a block are not compared with those of its parent',
    changes: [
      {
        within,
        inside: follows,
        replace: (block: Block, sameHeight: boolean, sameView: boolean, timestampMs: number) => [
          sameHeight && sameView && block.timestampMs > timestampMs,
          true,
        ],
      },
    ],
    scenarios: ['wrong-heights'],
  },
  {
    name: 'certify-rivals',
    about: 'rule 7: certifies any executed block, final or not',
    changes: [
      { within, inside: certifyExecuted, replace: (mine: boolean, final: boolean) => [!(mine || final), false] },
    ],
    scenarios: ['equivocator', 'withheld-notarization', 'mixed-faults', 'leader-to-a-subset'],
  },
];

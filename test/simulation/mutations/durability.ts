import { createAnswerJudge } from '../../../packages/consensus/src/answer-judge.ts';
import type { BlockEntry } from '../../../packages/consensus/src/block-tree.ts';
import type { CertificateStore } from '../../../packages/consensus/src/certificate-store.ts';
import type { Context, CoreSetting, Restored } from '../../../packages/consensus/src/context.ts';
import { createSigningHistoryQuery, type HistoryQuerySetting } from '../../../packages/consensus/src/history-query.ts';
import { activate } from '../../../packages/consensus/src/rules/activate.ts';
import { finalizeNotarized } from '../../../packages/consensus/src/rules/finalize.ts';
import { nullifyRefused, othersMayFinalize } from '../../../packages/consensus/src/rules/refused-views.ts';
import { declareDurable } from '../../../packages/primitives/src/index.ts';
import { type Committee, isQuorum, type View, weightOf } from '../../../packages/types/src/index.ts';
import type { Batch } from '../../../packages/wal/src/pending-records.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/consensus/src';

export const DURABILITY_MUTATIONS: readonly Mutation[] = [
  {
    name: 'send-before-sync',
    about: 'I3: signed messages are sent before they are durable',
    changes: [
      {
        within: 'packages/wal/src',
        replace: (synced: Promise<void>, statement: unknown) => [
          synced.then(() => declareDurable(statement)),
          Promise.race([synced, Promise.resolve()]).then(() => declareDurable(statement)),
        ],
      },
    ],
    scenarios: ['crash-sweep', 'unclean-shutdown', 'trap-power-cut'],
  },
  {
    name: 'no-sync',
    about: 'I3: nothing is synced at all',
    changes: [
      {
        within: 'packages/wal/src',
        replace: (write: (batch: Batch, how: 'write' | 'writeAndSync') => Promise<void>, last: Batch) => [
          write(last, 'writeAndSync'),
          write(last, 'write'),
        ],
      },
    ],
    scenarios: ['crash-sweep', 'unclean-shutdown', 'trap-power-cut'],
  },
  {
    name: 'vote-before-payload',
    about: 'I6: votes for a block whose payload is not available yet',
    changes: [{ within, inside: 'judgeItself', replace: (entry: BlockEntry) => [entry.payload !== 'valid', false] }],
    scenarios: ['crash-sweep', 'trap-power-cut', 'unclean-shutdown'],
  },
  {
    name: 'block-not-logged',
    about: 'I6: the body of a block is not written to the log',
    changes: [{ within, inside: activate, replace: (entry: BlockEntry) => [!entry.logged, false] }],
    scenarios: ['crash-sweep', 'trap-power-cut', 'restart-all-at-once'],
  },
  {
    name: 'second-proposal-after-restart',
    about: 'own proposals are not restored: a restarted leader proposes again',
    changes: [
      {
        within,
        inside: 'restoreLog',
        replace: (context: Context) => [
          context.setting,
          { ...context.setting, restored: { ...context.setting.restored, proposals: [] } } satisfies CoreSetting,
        ],
      },
    ],
    scenarios: ['trap-replayed-proposal', 'unclean-shutdown', 'crash-sweep'],
  },
  {
    name: 'votes-not-restored',
    about: 'own votes are not restored: a restarted validator votes again',
    changes: [
      {
        within,
        inside: 'restoreLog',
        replace: (context: Context) => [
          context.setting,
          { ...context.setting, restored: { ...context.setting.restored, votes: [] } } satisfies CoreSetting,
        ],
      },
    ],
    scenarios: ['equivocator-and-restarts'],
  },
  {
    name: 'mark-ignored',
    about: 'a validator that lost its log signs below its mark',
    changes: [
      {
        within,
        replace: (may: boolean, view: View, context: Context) => [may && view > context.setting.refuseUpToView, may],
      },
      {
        within,
        inside: finalizeNotarized,
        replace: (other: boolean, view: View, context: Context) => [
          other || view <= context.setting.refuseUpToView,
          other,
        ],
      },
    ],
    scenarios: ['trap-stale-mark'],
  },
  {
    name: 'refused-views-nullified-alone',
    about: 'rule 5a: a recovered validator nullifies refused views before any other validator does',
    changes: [
      {
        within,
        inside: nullifyRefused,
        replace: (other: boolean, context: Context) => [other || othersMayFinalize(context), other],
      },
    ],
    scenarios: ['trap-lost-logs'],
  },
  {
    name: 'no-signing-history-query',
    about: 'the answers to the signing-history query are ignored',
    changes: [
      {
        within,
        inside: createAnswerJudge,
        replace: (restored: Restored, isSame: () => boolean) => [restored.votes.some(isSame), true],
      },
      {
        within,
        inside: createAnswerJudge,
        replace: (restored: Restored, isSame: () => boolean) => [restored.proposals.some(isSame), true],
      },
    ],
    scenarios: ['trap-started-twice', 'trap-stale-copy'],
  },
  {
    name: 'certificates-unread-at-start',
    about: 'only votes and proposals are read from the answers to the signing-history query',
    changes: [
      {
        within,
        inside: createAnswerJudge,
        replace: (signers: readonly number[], setting: HistoryQuerySetting, known: boolean) => [
          !signers.includes(setting.self) || known,
          true,
        ],
      },
    ],
    scenarios: ['trap-stale-copy-all-restart'],
  },
  {
    name: 'timeout-is-an-answer',
    about: 'the signing-history query ends at its timeout, without the answers of a quorum',
    changes: [
      {
        within,
        inside: createSigningHistoryQuery,
        replace: (timeIsOver: boolean, answered: Set<number>, committee: Committee) => [
          timeIsOver && isQuorum(weightOf(answered, committee), committee),
          timeIsOver,
        ],
      },
    ],
    scenarios: ['trap-stale-copy-unheard'],
  },
  {
    name: 'entry-not-restored',
    about: 'rule 5: resent messages after a restart lack the certificate that entered the view',
    changes: [
      {
        within,
        inside: 'restoreLog',
        replace: (highest: ReturnType<CertificateStore['highest']>, context: Context) => [
          highest?.view === context.view - 1,
          false,
        ],
      },
    ],
    scenarios: ['trap-restarted-apart'],
  },
];

/**
 * Mutations: rules of the protocol broken on purpose, to test the tests. Each is a change of the sources' text, made as they are
 * loaded, and must make a simulation fail.
 *
 * Where a rule is asserted by the production code as well, the mutation takes the assertion away too: the checkers must see it
 * by themselves.
 */
import { EXECUTION_MUTATIONS } from './execution.ts';
import { PIPELINE_MUTATIONS } from './pipeline.ts';

export interface Mutation {
  readonly name: string;
  /** What is broken. */
  readonly about: string;
  readonly changes: readonly Change[];
  /** Scenarios that should notice, the quickest first. */
  readonly scenarios: readonly string[];
  /** Committee size. Default: 4. */
  readonly size?: number;
}

export interface Change {
  /** Path in the repository. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const CONSENSUS = 'packages/consensus/src';

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'notarize-twice',
    about: 'I1: votes again in a view when another candidate is there',
    changes: [
      { file: `${CONSENSUS}/rules/notarize.ts`, from: 'if (own.notarize || own.nullify ||', to: 'if (own.nullify ||' },
      {
        file: `${CONSENSUS}/rules/notarize.ts`,
        from: "if (judge(context, candidate) !== 'yes') continue;",
        to: "if (judge(context, candidate) !== 'yes' || own.notarize === candidate.blockId) continue;",
      },
      { file: `${CONSENSUS}/own-record.ts`, from: 'assert(own.notarize === undefined, `I1', to: 'assert(true, `I1' },
    ],
    scenarios: ['equivocator', 'equivocator-normal', 'mixed-faults', 'twins-sampled'],
  },
  {
    name: 'early-vote-for-any-proposal',
    about: 'rule 4a: votes early for a child of a block that it has not voted for',
    changes: [
      {
        file: `${CONSENSUS}/rules/notarize.ts`,
        from: 'const parentId = earlyParent(context);',
        to: 'const parentId = context.setting.options.earlyVoteViews < 1 ? undefined : (earlyParent(context), candidate.block.parentId);',
      },
    ],
    scenarios: ['trap-cascade', 'lossy-links', 'withheld-notarization'],
  },
  {
    name: 'early-votes-go-on',
    about: 'rule 4a: votes early in any view, on blocks of any leader, however they were proposed',
    changes: [
      {
        file: `${CONSENSUS}/rules/early-vote.ts`,
        from: 'return enteredByNotarization && !mayBeSplit && !hasFailed(context, context.leaderOf(view)) ? own.notarize : undefined;',
        to: 'return own.notarize;',
      },
    ],
    scenarios: ['trap-split-votes', 'leader-to-a-subset'],
  },
  {
    name: 'early-votes-on-normal-proposals',
    about: 'rule 4a: votes early for a child of a block that its leader proposed normally',
    changes: [{ file: `${CONSENSUS}/rules/early-vote.ts`, from: '!mayBeSplit && ', to: '' }],
    scenarios: ['equivocator-optimistic'],
  },
  {
    name: 'nullify-after-finalize',
    about: 'I2: a timer nullifies a view that was finalized',
    changes: [
      { file: `${CONSENSUS}/rules/views.ts`, from: 'if (own.nullify || own.finalize ||', to: 'if (own.nullify ||' },
      { file: `${CONSENSUS}/own-record.ts`, from: 'assert(own.finalize === undefined, `I2', to: 'assert(true, `I2' },
      {
        file: `${CONSENSUS}/rules/views.ts`,
        from: 'if (!highest || highest.view < context.view) return false;',
        to: "if (!highest || highest.view < context.view || (highest.certificate.subject.kind === 'notarize' && context.nowMs < context.pacemaker.viewDeadlineMs)) return false;",
      },
    ],
    scenarios: ['all-online', 'lossy-links'],
  },
  {
    name: 'finalize-after-nullify',
    about: 'I2: finalizes a notarized view although it was nullified here',
    changes: [
      {
        file: `${CONSENSUS}/rules/finalize.ts`,
        from: 'if (own.nullify || own.finalize ||',
        to: 'if (own.finalize ||',
      },
      { file: `${CONSENSUS}/own-record.ts`, from: 'assert(!own.nullify, `I2', to: 'assert(true, `I2' },
    ],
    scenarios: ['lossy-links', 'withheld-notarization', 'partition-and-heal'],
  },
  {
    name: 'send-before-sync',
    about: 'I3: what is signed leaves before it is durable',
    changes: [{ file: `${CONSENSUS}/outgoing.ts`, from: 'await synced;', to: '' }],
    scenarios: ['crash-sweep', 'unclean-shutdown', 'trap-power-cut'],
  },
  {
    name: 'no-sync',
    about: 'I3: nothing is synced at all',
    changes: [{ file: `${CONSENSUS}/outgoing.ts`, from: 'resolve(wal.sync());', to: 'resolve(wal.flush());' }],
    scenarios: ['crash-sweep', 'unclean-shutdown', 'trap-power-cut'],
  },
  {
    name: 'vote-before-payload',
    about: 'I6: votes for a block whose payload is not here yet',
    changes: [
      {
        file: `${CONSENSUS}/rules/notarize.ts`,
        from: "if (entry.payload !== 'valid') return entry.payload === 'invalid' ? 'never' : 'wait';",
        to: '',
      },
    ],
    scenarios: ['crash-sweep', 'trap-power-cut', 'unclean-shutdown'],
  },
  {
    name: 'block-not-logged',
    about: 'I6: the body of a block is not written to the log',
    changes: [
      {
        file: `${CONSENSUS}/rules/activate.ts`,
        from: "if (!entry.logged) emit(context, { type: 'persist-block', blockId: entry.id, block: entry.block });",
        to: '',
      },
    ],
    scenarios: ['crash-sweep', 'trap-power-cut', 'restart-all-at-once'],
  },
  {
    name: 'quorum-of-half',
    about: 'a quorum is off by one: two of three thirds are enough',
    changes: [
      {
        file: 'packages/types/src/committee.ts',
        from: 'return 3 * weight > 2 * committee.totalWeight;',
        to: 'return 3 * weight + 3 > 2 * committee.totalWeight;',
      },
    ],
    scenarios: ['all-online', 'partition-and-heal'],
  },
  {
    name: 'skip-nullification-check',
    about: 'rule 4: votes for a block although views between it and its parent were not nullified',
    changes: [
      {
        file: `${CONSENSUS}/rules/notarize.ts`,
        from: 'if (gap !== undefined) {',
        to: 'if (gap !== undefined && gap < 0) {',
      },
      {
        file: `${CONSENSUS}/rules/propose.ts`,
        from: 'if (!context.certificates.nullified(asView(at))) {',
        to: 'if (at < 0) {',
      },
      {
        file: `${CONSENSUS}/rules/notarize.ts`,
        from: "if (block.parentView < context.lastFinal.view) return 'never';",
        to: '',
      },
    ],
    scenarios: ['forker'],
  },
  {
    name: 'any-block-confirmed',
    about: 'rule 4: a leader may confirm a block of another view, and have it voted for in its own',
    changes: [
      {
        file: `${CONSENSUS}/rules/notarize.ts`,
        from: "if (!isOfView(context, entry.block, candidate.view)) return 'never';",
        to: '',
      },
      {
        file: `${CONSENSUS}/rules/proposal-fault.ts`,
        from: 'if (fault === undefined) return true;',
        to: 'return true;',
      },
      { file: `${CONSENSUS}/rules/finalize.ts`, from: 'assert(entry.block.view === view,', to: 'assert(true,' },
      { file: `${CONSENSUS}/rules/finalize.ts`, from: 'last.block.view === view,', to: 'true,' },
    ],
    scenarios: ['trap-made-up-confirmation', 'lying-confirmer'],
  },
  {
    name: 'no-confirmation',
    about:
      'rules 3 and 4: an optimistic proposal needs no confirmation in a view entered by a nullification, and gets none',
    changes: [
      { file: `${CONSENSUS}/rules/propose.ts`, from: 'if (confirmStanding(context)) return true;', to: '' },
      { file: `${CONSENSUS}/rules/propose.ts`, from: 'if (confirmStanding(context)) return;', to: '' },
    ],
    scenarios: ['all-online', 'trap-cascade', 'lossy-links'],
  },
  {
    name: 'second-proposal-after-restart',
    about: 'own proposals are not restored: a restarted leader proposes again',
    changes: [
      {
        file: `${CONSENSUS}/core.ts`,
        from: 'for (const proposal of restored.proposals) {',
        to: 'for (const proposal of restored.proposals.slice(0, 0)) {',
      },
    ],
    scenarios: ['trap-replayed-proposal', 'unclean-shutdown', 'crash-sweep'],
  },
  {
    name: 'votes-not-restored',
    about: 'own votes are not restored: a restarted validator votes again',
    changes: [
      {
        file: `${CONSENSUS}/core.ts`,
        from: 'for (const { subject, ...vote } of restored.votes) {',
        to: 'for (const { subject, ...vote } of restored.votes.slice(0, 0)) {',
      },
    ],
    scenarios: ['equivocator-and-restarts'],
  },
  {
    name: 'mark-ignored',
    about: 'a validator that lost its log signs below its mark',
    changes: [
      { file: `${CONSENSUS}/context.ts`, from: '&& view > context.setting.refuseUpToView', to: '' },
      { file: `${CONSENSUS}/rules/finalize.ts`, from: '|| view <= context.setting.refuseUpToView', to: '' },
    ],
    scenarios: ['trap-stale-mark'],
  },
  {
    name: 'nobody-asked-at-start',
    about: 'the answers to the start-up question are not looked at',
    changes: [
      { file: `${CONSENSUS}/startup.ts`, from: 'if (await isUnknownVote(vote)) return', to: 'if (false) return' },
      {
        file: `${CONSENSUS}/startup.ts`,
        from: 'if (await countsUnknownVote(certificate)) return',
        to: 'if (false) return',
      },
      {
        file: `${CONSENSUS}/startup.ts`,
        from: 'if (decoded.ok && (await isUnknownProposal(decoded.value))) return',
        to: 'if (decoded.ok && false) return',
      },
    ],
    scenarios: ['trap-started-twice', 'trap-stale-copy'],
  },
  {
    name: 'certificates-unread-at-start',
    about: 'only votes and proposals are looked at in the answers to the start-up question',
    changes: [
      {
        file: `${CONSENSUS}/startup.ts`,
        from: 'if (await countsUnknownVote(certificate)) return',
        to: 'if (false) return',
      },
    ],
    scenarios: ['trap-stale-copy-all-restart'],
  },
  {
    name: 'silence-is-an-answer',
    about: 'the start-up question is over when its time is, whoever has answered',
    changes: [
      {
        file: `${CONSENSUS}/startup.ts`,
        from: '(timeIsOver && isQuorum(weightOf(heard, committee), committee))',
        to: 'timeIsOver',
      },
    ],
    scenarios: ['trap-stale-copy-unheard'],
  },
  {
    name: 'entry-certificate-forgotten',
    about: 'rule 1: a node keeps the certificate by which it entered a view to itself',
    changes: [
      {
        file: `${CONSENSUS}/rules/views.ts`,
        from: 'if (context.setting.self !== undefined) context.outbox.certificates.push(highest.certificate);',
        to: '',
      },
      {
        file: `${CONSENSUS}/rules/views.ts`,
        from: 'const stalled = context.own.at(context.view).nullify && context.entry;',
        to: 'const stalled = undefined;',
      },
      {
        file: `${CONSENSUS}/rules/views.ts`,
        from: 'if (context.entry) context.outbox.certificates.push(context.entry);',
        to: '',
      },
    ],
    scenarios: ['lossy-links', 'withheld-notarization', 'to-next-leader-only'],
  },
  {
    name: 'entry-not-restored',
    about: 'rule 5: after a restart, what is re-sent does not carry the certificate that entered the view',
    changes: [
      {
        file: `${CONSENSUS}/core.ts`,
        from: 'if (highest?.view === context.view - 1) context.entry = highest.certificate;',
        to: '',
      },
    ],
    scenarios: ['restart-under-loss'],
  },
  {
    name: 'first-four-asked',
    about: 'what is missing is asked of the first members of every list only',
    changes: [
      {
        file: `${CONSENSUS}/fetcher.ts`,
        from: 'const candidates = [...shuffled(hint), ...shuffled(others)].filter((member) => {',
        to: 'const candidates = [...hint, ...others].slice(0, 4).filter((member) => {',
      },
    ],
    scenarios: ['trap-silent-proposer'],
    size: 13,
  },
  {
    name: 'certificates-unchecked',
    about: 'certificates are adopted without a look at their signatures',
    changes: [{ file: `${CONSENSUS}/rules/adopt.ts`, from: 'if (valid) {', to: 'if (valid || !valid) {' }],
    scenarios: ['forger'],
  },
  {
    name: 'ranges-unchecked',
    about: 'served ranges of final blocks are taken without a look at the certificate of their last block',
    changes: [
      { file: `${CONSENSUS}/rules/served-ranges.ts`, from: 'knownCertificate(context, range)', to: 'range.vouching' },
    ],
    scenarios: ['made-up-ranges'],
  },
  {
    name: 'blocks-that-do-not-follow',
    about: 'rule 4: height, parent view and timestamp of a block are not compared with those of its parent',
    changes: [
      {
        file: `${CONSENSUS}/rules/proposal-fault.ts`,
        from: 'return block.height === height + 1 && block.parentView === view && block.timestampMs > timestampMs;',
        to: 'return block.height > 0 || height + view + timestampMs < 0;',
      },
    ],
    scenarios: ['wrong-heights'],
  },
  {
    name: 'certify-rivals',
    about: 'rule 7: certifies whatever is executed, final or not',
    changes: [{ file: `${CONSENSUS}/rules/finalize.ts`, from: 'if (!(mine || final)) continue;', to: '' }],
    scenarios: ['equivocator', 'withheld-notarization', 'mixed-faults', 'leader-to-a-subset'],
  },
  {
    name: 'far-certificates-dropped',
    about: 'rule 9: certificates beyond the lookahead are dropped',
    changes: [
      {
        file: `${CONSENSUS}/rules/adopt.ts`,
        from: 'if (isShown(context, bufferKeyOf(subject))) return false;',
        to: 'if (isShown(context, bufferKeyOf(subject)) || subject.view > context.view + context.setting.options.lookaheadViews) return false;',
      },
    ],
    scenarios: ['trap-far-ahead'],
  },
  {
    name: 'offenders-kept',
    about: 'those whose signatures were bad are not blocked',
    changes: [
      {
        file: `${CONSENSUS}/rules/take-votes.ts`,
        from: 'for (const offender of result.offenders) {',
        to: 'for (const offender of result.offenders.slice(0, 0)) {',
      },
    ],
    scenarios: ['invalid-signer'],
  },
  {
    name: 'one-offender-spared',
    about: 'of several signers whose votes were bad, the first is let go',
    changes: [
      {
        file: `${CONSENSUS}/rules/take-votes.ts`,
        from: 'for (const offender of result.offenders) {',
        to: 'for (const offender of result.offenders.slice(1)) {',
      },
    ],
    scenarios: ['invalid-signers'],
    size: 7,
  },
  ...EXECUTION_MUTATIONS,
  ...PIPELINE_MUTATIONS,
];

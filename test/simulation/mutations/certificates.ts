import type { Context } from '../../../packages/consensus/src/context.ts';
import { isShown, onCertificateVerified } from '../../../packages/consensus/src/rules/adopt.ts';
import { onQuorumChecked } from '../../../packages/consensus/src/rules/take-votes.ts';
import { enterViews, nullifyOnTimeout, resendOnRetry } from '../../../packages/consensus/src/rules/views.ts';
import type { Sender } from '../../../packages/consensus/src/verifications.ts';
import type { QuorumResult } from '../../../packages/ports/src/index.ts';
import type { Certificate, Subject } from '../../../packages/types/src/index.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/consensus/src';

type Shuffle = (members: readonly number[]) => readonly number[];

export const CERTIFICATE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'entry-certificate-forgotten',
    about: 'rule 1: a node does not send the certificate by which it entered a view',
    changes: [
      {
        within,
        inside: enterViews,
        replace: (context: Context, certificate: Certificate) => [context.outbox.certificates.push(certificate), 0],
      },
      {
        within,
        inside: nullifyOnTimeout,
        replace: (context: Context, certificate: Certificate) => [context.outbox.certificates.push(certificate), 0],
      },
      {
        within,
        inside: resendOnRetry,
        replace: (context: Context) => [context.own.at(context.view).nullify && context.entry, undefined],
      },
    ],
    scenarios: ['lossy-links', 'withheld-notarization', 'to-next-leader-only'],
  },
  {
    name: 'first-four-asked',
    about: 'missing data is requested from the first members of every list only',
    changes: [
      {
        within: 'packages/sync/src',
        replace: (shuffled: Shuffle, hint: readonly number[], others: readonly number[]) => [
          [...shuffled(hint), ...shuffled(others)],
          [...hint, ...others].slice(0, 4),
        ],
      },
    ],
    scenarios: ['trap-silent-proposer'],
    size: 13,
  },
  {
    name: 'certificates-unchecked',
    about: 'certificates are adopted without a check of their signatures',
    changes: [
      {
        within,
        replace: (context: Context, certificate: Certificate, sender: Sender, valid: boolean) => [
          onCertificateVerified(context, certificate, sender, valid),
          onCertificateVerified(context, certificate, sender, true),
        ],
      },
    ],
    scenarios: ['forger'],
  },
  {
    name: 'ranges-unchecked',
    about: 'served ranges of final blocks are accepted without a check of their last certificate',
    changes: [
      {
        within,
        replace: (certified: Certificate, state: unknown, lastFinal: Context['lastFinal'], finalization: unknown) => [
          certified.subject.kind === 'certify' ? [state] : [lastFinal.certificate, finalization, state],
          [certified],
        ],
      },
    ],
    scenarios: ['made-up-ranges'],
  },
  {
    name: 'far-certificates-dropped',
    about: 'rule 9: certificates beyond the lookahead are dropped',
    changes: [
      {
        within,
        inside: 'isRelevant',
        replace: (context: Context, subject: Subject) => [
          isShown(context, subject),
          isShown(context, subject) || subject.view > context.view + context.setting.options.lookaheadViews,
        ],
      },
    ],
    scenarios: ['trap-far-ahead'],
  },
  {
    name: 'offenders-not-blocked',
    about: 'signers of invalid votes are not blocked',
    changes: [
      {
        within,
        inside: onQuorumChecked,
        everywhere: true,
        replace: (result: QuorumResult) => [result.offenders, result.offenders.slice(0, 0)],
      },
    ],
    scenarios: ['invalid-signer'],
  },
  {
    name: 'one-offender-spared',
    about: 'of several signers of invalid votes, the first is not blocked',
    changes: [
      {
        within,
        inside: onQuorumChecked,
        everywhere: true,
        replace: (result: QuorumResult) => [result.offenders, result.offenders.slice(1)],
      },
    ],
    scenarios: ['invalid-signers'],
    size: 7,
  },
];

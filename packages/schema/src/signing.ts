import { Type } from 'typebox';
import { count, type Json, View } from './scalars.ts';

const REFUSALS = ['wal-lost', 'history-imported'] as const;

export const SigningSchema = Type.Union(
  [
    Type.Object({ state: Type.Literal('signing') }),
    Type.Object(
      {
        state: Type.Literal('querying'),
        unanswered: Type.Array(count('Index in the committee.', 1023), { maxItems: 1024 }),
      },
      { description: 'Nothing is signed yet: these validators have not answered what it signed last.' },
    ),
    Type.Object(
      {
        state: Type.Literal('refused'),
        upToView: View,
        reason: Type.Enum([...REFUSALS]),
        recovering: Type.Boolean({
          description: 'It joins nullifications up to that view: an operator asked for that.',
        }),
      },
      {
        description:
          'Nothing is signed until the chain has passed this view. wal-lost: what it signed up to there is unknown. ' +
          'history-imported: another machine may have signed up to there.',
      },
    ),
  ],
  { title: 'Signing', description: 'Whether this validator signs, and why not.' },
);
export type Signing = Json<typeof SigningSchema>;

const WHY: { readonly [Reason in (typeof REFUSALS)[number]]: string } = {
  'wal-lost': 'its write-ahead log was lost, so what it signed up to there is unknown',
  'history-imported': 'its signing history was imported, so another machine may have signed up to there',
};

/** Without the subject, the validator; undefined while it signs. */
export function whyNotSigning(signing: Signing | null): string | undefined {
  if (signing === null || signing.state === 'signing') return undefined;
  if (signing.state === 'refused') {
    const what = signing.recovering ? 'nothing but nullifications' : 'nothing';
    return `signs ${what} up to view ${signing.upToView}: ${WHY[signing.reason]}`;
  }
  const { unanswered } = signing;
  const what = unanswered.length === 1 ? `validator ${unanswered[0]} has` : `validators ${unanswered.join(', ')} have`;
  return unanswered.length === 0
    ? 'signs nothing yet: the answers of the other validators are being checked'
    : `signs nothing yet: ${what} not answered what it signed last`;
}

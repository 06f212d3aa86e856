/** A change that a proposal names, with its values. */
import type { ChangeView } from '@slipstream/schema';
import type { ReactNode } from 'react';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { href } from '../../shell/router.ts';

interface ProposedChangeProps {
  readonly change: ChangeView;
  /** Of a validator by its id. */
  readonly nameOf?: ((validatorId: string) => string | undefined) | undefined;
}

export function ProposedChange({ change, nameOf }: ProposedChangeProps): ReactNode {
  switch (change.kind) {
    case 'addValidator':
      return (
        <>
          add validator <b>{change.name}</b> with weight <b>{count(change.weight)}</b> at <code>{change.address}</code>,
          key <Hex value={change.blsPublicKey} what="BLS key" />, operator <Account account={change.operator} />
        </>
      );
    case 'removeValidator':
      return (
        <>
          remove validator <Named id={change.validatorId} nameOf={nameOf} />
        </>
      );
    case 'setWeight':
      return (
        <>
          set the weight of validator <Named id={change.validatorId} nameOf={nameOf} /> to <b>{count(change.weight)}</b>
        </>
      );
    case 'setParameters':
      return (
        <details>
          <summary>set fees and times</summary>
          <Facts facts={parameterFacts(change)} />
        </details>
      );
    case 'setTrustedIssuers':
      return (
        <>trust the issuers {change.trustedIssuers.length === 0 ? 'none' : <Keys keys={change.trustedIssuers} />}</>
      );
    case 'setVersion':
      return (
        <>
          set the version of the rules to <b>{change.version}</b>
        </>
      );
    case 'setGovernance':
      return <GovernanceChange {...change.governance} />;
    default:
      return change satisfies never;
  }
}

function Named({ id, nameOf }: { readonly id: string; readonly nameOf: ProposedChangeProps['nameOf'] }) {
  const name = nameOf?.(id);
  return (
    <>
      {name === undefined ? null : <b>{name} </b>}
      <Hex value={id} what="validator id" />
    </>
  );
}

function GovernanceChange({
  administrators,
  approvals,
}: {
  readonly administrators: readonly string[];
  readonly approvals: number;
}) {
  if (administrators.length === 0) return <>let the operators govern</>;
  return (
    <>
      let <b>{approvals}</b> of these administrators govern:{' '}
      {administrators.map((account) => (
        <Account key={account} account={account} />
      ))}
    </>
  );
}

export function Account({ account }: { readonly account: string }) {
  return <Hex value={account} href={href('explorer', 'account', account)} what="account" />;
}

function Keys({ keys }: { readonly keys: readonly string[] }) {
  return keys.map((key) => <Hex key={key} value={key} what="root key" />);
}

type Parameters = Extract<ChangeView, { readonly kind: 'setParameters' }>;

function parameterFacts({ fees, times, leaderReputation }: Parameters): readonly Fact[] {
  const list = (values: readonly string[]) => values.map(amount).join(' · ');
  return [
    ['Initial prices', list(fees.initialPrices)],
    ['Minimum prices', list(fees.minimumPrices)],
    ['Targets', list(fees.targets)],
    ['Limits', list(fees.limits)],
    ['Blocks in a window', count(fees.windowBlocks)],
    ...Object.entries(times).map(([name, value]): Fact => [name, count(value)]),
    ...(leaderReputation === undefined ? [] : [['Leader reputation', leaderReputation ? 'on' : 'off'] as const]),
  ];
}

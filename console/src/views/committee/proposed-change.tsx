/** A change that a proposal names, with its values. */
import type { ChangeView, EpochRecordJson } from '@slipstream/schema';
import type { ReactNode } from 'react';
import { Facts } from '../../design/facts.tsx';
import { count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { href } from '../../shell/router.ts';
import { parameterDifferences, parameterRows } from './parameters.ts';

interface ProposedChangeProps {
  readonly change: ChangeView;
  /** Of a validator by its id. */
  readonly nameOf?: ((validatorId: string) => string | undefined) | undefined;
  /** Of the current epoch: fees and times are shown by what differs. */
  readonly now?: Parameters | undefined;
}

type Parameters = EpochRecordJson['parameters'];

export function ProposedChange({ change, nameOf, now }: ProposedChangeProps): ReactNode {
  switch (change.kind) {
    case 'addValidator':
      return (
        <>
          add validator <b>{change.name}</b> with weight <b>{count(change.weight)}</b> at <code>{change.address}</code>{' '}
          · key <Hex value={change.blsPublicKey} what="BLS key" /> · operator <Account account={change.operator} />
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
      return <ParametersChange change={change} now={now} />;
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
    case 'upgradeApplication':
      return (
        <>
          upgrade the application <b>{change.name}</b> to version <b>{change.version}</b>, artifact{' '}
          <Hex value={change.hash} what="artifact" />
        </>
      );
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

interface ParametersChangeProps {
  readonly change: Extract<ChangeView, { readonly kind: 'setParameters' }>;
  readonly now: Parameters | undefined;
}

function ParametersChange({ change, now }: ParametersChangeProps) {
  const differing = now === undefined ? [] : parameterDifferences(now, change);
  return (
    <>
      set fees and times
      {differing.length === 0 ? null : (
        <ul>
          {differing.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <details>
        <summary>all values</summary>
        <Facts facts={parameterRows(change)} />
      </details>
    </>
  );
}

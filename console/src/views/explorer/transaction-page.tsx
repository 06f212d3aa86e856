import type { Json } from '@slipstream/app/program';
import type { ReceiptJson, TransactionJson, TransactionView } from '@slipstream/schema';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, count, dateAndTime } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { ProofPanel } from '../../proof/proof-panel.tsx';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import { href } from '../../shell/router.ts';
import { JsonValue } from '../applications/json-value.tsx';
import { ProposedChange } from '../committee/proposed-change.tsx';
import { absenceTitle } from './absence.ts';
import { RowPage } from './row-page.tsx';
import { STATUS_TONES } from './transaction-list.tsx';

const ENDS: ReadonlySet<string> = new Set(['final', 'failed', 'expired', 'skipped']);
/** Until the transaction has ended. */
const ASK_EVERY_MS = 2_000;

export function TransactionPage({ id }: { readonly id: string }) {
  const [ended, setEnded] = useState(false);
  const ask = async (signal: AbortSignal): Promise<TransactionView> => {
    const view = await client.transaction(id, { signal });
    if (ENDS.has(view.status)) setEnded(true);
    return view;
  };
  const { answer, again } = useQuery(`transaction ${id}`, ask, ended ? {} : { everyMs: ASK_EVERY_MS });
  if (answer.type === 'loading') return <Loading what="the transaction" />;
  if (answer.type === 'failed') {
    return <Failure title={absenceTitle('transaction', answer.error)} detail={answer.reason} onRetry={again} />;
  }
  const view = answer.value;
  if (view.row !== undefined) return <RowPage view={view} row={view.row} />;
  return view.receipt === undefined ? <Unincluded view={view} /> : <Included view={view} receipt={view.receipt} />;
}

function Head({ id, status }: TransactionView) {
  return (
    <>
      <div className="view-head">
        <h1>Transaction</h1>
        <Badge tone={STATUS_TONES[status]}>{status}</Badge>
      </div>
      <Hex value={id} what="transaction id" whole />
    </>
  );
}

function Unincluded({ view }: { readonly view: TransactionView }) {
  return (
    <>
      <Head {...view} />
      <div className="columns">
        <div className="stack">
          <Content {...view} />
          <Panel title="Receipt">
            <Empty title="No receipt yet">
              {view.reason ?? 'The receipt is created with the block that includes the transaction.'}
            </Empty>
          </Panel>
        </div>
        <Panel title="Proof">
          <Empty title="No proof yet">The proof is available once a quorum certified the block.</Empty>
        </Panel>
      </div>
    </>
  );
}

function Included({ view, receipt }: { readonly view: TransactionView; readonly receipt: ReceiptJson }) {
  const proof = useProof(`transaction ${view.id} ${view.status} ${receipt.height}`, {
    kind: 'transaction',
    id: view.id,
    shown: view,
  });
  const what = view.transaction === undefined ? 'Receipt' : 'Receipt and actions';
  return (
    <>
      <Head {...view} />
      <VerdictLine what={what} verification={proof.verification} />
      <div className="columns">
        <div className="stack">
          <Content {...view} />
          <Panel title="Receipt">
            <Facts facts={receiptFacts(receipt, view.failure)} />
          </Panel>
          <Events {...view} />
        </div>
        <ProofPanel proof={proof} note="of the receipt" />
      </div>
    </>
  );
}

function Content({ transaction }: TransactionView) {
  return (
    <Panel title="Actions">
      {transaction === undefined ? (
        <Empty title="The content is not on this node" />
      ) : (
        <Facts facts={contentFacts(transaction)} />
      )}
    </Panel>
  );
}

/** Their bytes are in the receipt's output; names and fields are of the manifest. */
function Events({ events = [] }: TransactionView) {
  if (events.length === 0) return null;
  return (
    <Panel title="Events" note="read by the manifest of this node">
      <Facts
        facts={events.map((event, i) => [
          `${i + 1}. ${event.application}: ${event.name ?? `event ${event.event}`}`,
          <JsonValue key="body" value={(event.fields as Json | undefined) ?? event.body} />,
        ])}
      />
    </Panel>
  );
}

function contentFacts(transaction: TransactionJson): readonly Fact[] {
  const { sender, actions, expiryMs, maxFee } = transaction;
  return [
    ['Sender', <AccountLink key="sender" account={sender} />],
    ['Actions', <Actions key="actions" actions={actions} />],
    ['Maximum fee', amount(maxFee)],
    ['Expires', dateAndTime(expiryMs)],
  ];
}

function Actions({ actions }: { readonly actions: TransactionJson['actions'] }) {
  return (
    <ol>
      {actions.map((action, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: actions are a fixed list, and two may be equal
        <li key={i}>
          <Action action={action} />
        </li>
      ))}
    </ol>
  );
}

function Action({ action }: { readonly action: TransactionJson['actions'][number] }) {
  switch (action.kind) {
    case 'transfer':
      return (
        <>
          transfer <b>{amount(action.amount)}</b> to <AccountLink account={action.to} />
        </>
      );
    case 'transferMany':
      return (
        <ul>
          {action.outputs.map(({ to, amount: each }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: outputs are a fixed list, and two may be equal
            <li key={i}>
              transfer <b>{amount(each)}</b> to <AccountLink account={to} />
            </li>
          ))}
        </ul>
      );
    case 'setData':
      return (
        <>
          set <code>{action.name}</code> to <code>{action.value}</code>
        </>
      );
    case 'addDevice':
    case 'removeDevice':
      return (
        <>
          {action.kind === 'addDevice' ? 'add' : 'remove'} device <AccountLink account={action.device} /> of{' '}
          <AccountLink account={action.anchor} />
        </>
      );
    case 'grantSession':
      return (
        <>
          grant a session for <b>{action.service}</b> ({action.scope.join(', ')}, up to {amount(action.spendLimit)}) to{' '}
          <code>{action.sessionKey}</code>
        </>
      );
    case 'revokeSession':
      return (
        <>
          revoke session <code>{action.grantId}</code>
        </>
      );
    case 'register':
      return (
        <>
          enter the account directory with the key <code>{action.blsKey}</code>
        </>
      );
    case 'call':
      return <Call action={action} />;
    default:
      return <GovernanceAction action={action} />;
  }
}

function Call({
  action: { application, action, input, name, fields },
}: {
  readonly action: Extract<TransactionJson['actions'][number], { readonly kind: 'call' }>;
}) {
  const link = (
    <a className="text-link" href={href('applications', application)}>
      {application}
    </a>
  );
  if (name === undefined || fields === undefined) {
    return (
      <>
        call action {name ?? action} of {link} with <code>{input}</code>
      </>
    );
  }
  return (
    <div className="stack">
      <p>
        call <b>{name}</b> of {link}
      </p>
      <JsonValue value={fields as Json} />
    </div>
  );
}

type Plain =
  | 'transfer'
  | 'transferMany'
  | 'setData'
  | 'addDevice'
  | 'removeDevice'
  | 'grantSession'
  | 'revokeSession'
  | 'register'
  | 'call';

function GovernanceAction({
  action,
}: {
  readonly action: Exclude<TransactionJson['actions'][number], { readonly kind: Plain }>;
}) {
  switch (action.kind) {
    case 'propose':
      return (
        <>
          propose
          <ol>
            {action.changes.map((change, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: changes are a fixed list, and two may be equal
              <li key={i}>
                <ProposedChange change={change} />
              </li>
            ))}
          </ol>
          {action.notBeforeMs === 0 ? null : <>not before {dateAndTime(action.notBeforeMs)}</>}
        </>
      );
    case 'approve':
    case 'revoke':
      return (
        <>
          {action.kind} proposal <code>{action.proposalId}</code>
        </>
      );
    case 'ready':
      return (
        <>
          ready with the key <code>{action.blsPublicKey}</code>
        </>
      );
    case 'rotateKeys':
      return (
        <>
          validator <code>{action.validatorId}</code> takes the key <code>{action.blsPublicKey}</code>
        </>
      );
    case 'leave':
      return (
        <>
          validator <code>{action.validatorId}</code> leaves
        </>
      );
    case 'reportEquivocation':
      return (
        <>
          report {action.type} of <code>{action.blsPublicKey}</code> that contradict each other
        </>
      );
    case 'advanceIssuer':
      return (
        <>
          the committee of the issuer <code>{action.issuer}</code> changed
        </>
      );
    default:
      return action satisfies never;
  }
}

function AccountLink({ account }: { readonly account: string }) {
  return <Hex value={account} href={href('explorer', 'account', account)} what="account" />;
}

function receiptFacts(
  { outcome, fee, units, height, index }: ReceiptJson,
  failure: string | undefined,
): readonly Fact[] {
  return [
    [
      'Outcome',
      outcome.status === 'success'
        ? 'success'
        : `failed: ${outcome.code}${failure === undefined ? '' : ` (${failure})`}, action ${outcome.action + 1}; only the fee was charged`,
    ],
    [
      'Block',
      <a key="block" href={href('explorer', 'block', height)}>
        {count(height)}
      </a>,
    ],
    ['Position', count(index + 1)],
    ['Fee', amount(fee)],
    [
      'Units',
      Object.entries(units)
        .map(([dimension, used]) => `${dimension} ${amount(used)}`)
        .join(', '),
    ],
  ];
}

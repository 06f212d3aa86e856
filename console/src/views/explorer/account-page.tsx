/** Balance, data and sessions with their proofs, and transactions that the account sent or was paid by. */
import type { AccountView } from '@slipstream/schema';
import { Button } from '../../design/button.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { askAccount } from '../../proof/ask-account.ts';
import { ProofPanel } from '../../proof/proof-panel.tsx';
import { type Proof, useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import { href } from '../../shell/router.ts';
import { StateLookup } from './state-lookup.tsx';
import { TransactionList } from './transaction-list.tsx';

/** Of an account in the directory. */
function indexFacts({ index, last = 0 }: AccountView): readonly Fact[] {
  if (index === undefined) return [];
  return [
    ['Directory index', count(index)],
    ['Last sequence', last === 0 ? 'none' : count(last)],
  ];
}

export function AccountPage({ account }: { readonly account: string }) {
  const { answer, again } = useQuery<AccountView>(`account ${account}`, (signal) =>
    askAccount(client, account, signal),
  );
  const view = answer.type === 'done' ? answer.value : undefined;
  const proof = useProof(
    `account ${account} ${view?.balance} at ${view?.height}`,
    view && { kind: 'account', account, shown: view },
  );
  return (
    <>
      <div className="view-head">
        <h1>Account</h1>
        <Button kind="quiet" onClick={again}>
          Ask again
        </Button>
      </div>
      <div className="columns">
        <Panel title="Balance">
          {view === undefined ? null : <Balance view={view} verification={proof.verification} />}
          {answer.type === 'loading' ? <Loading what="the balance" /> : null}
          {answer.type === 'failed' ? <Failure title="No answer" detail={answer.reason} onRetry={again} /> : null}
        </Panel>
        <StateLookup account={account} />
      </div>
      {view === undefined ? null : <ProofPanel proof={proof} note="of the present state" />}
      <Panel title="Transactions" note="newest first, without rows of batches, as this node says" flush>
        <TransactionList
          of={`account ${account}`}
          empty="No transactions yet"
          ask={(options) => client.accountTransactions(account, options)}
        />
      </Panel>
    </>
  );
}

interface BalanceProps {
  readonly view: AccountView;
  readonly verification: Proof['verification'];
}

/** As the node says it, with the verdict on it. */
function Balance({ view, verification }: BalanceProps) {
  const { account, height, balance, exists } = view;
  return (
    <div className="stack">
      <VerdictLine what={view.index === undefined ? 'Balance' : 'Balance and index'} verification={verification} />
      <Facts
        facts={[
          ['Account', <Hex key="account" value={account} what="account" whole />],
          ...indexFacts(view),
          ['Balance', exists ? amount(balance) : 'none: the account does not exist'],
          [
            'As of',
            <a key="height" href={href('explorer', 'block', height)}>
              block {count(height)}
            </a>,
          ],
        ]}
      />
    </div>
  );
}

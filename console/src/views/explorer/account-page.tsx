/** Balance, data, and transactions that the account sent or was paid by. */
import type { AccountView } from '@slipstream/schema';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, count } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { href } from '../../shell/router.ts';
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
    client.account(account, { signal }),
  );
  return (
    <>
      <div className="view-head">
        <h1>Account</h1>
      </div>
      <Panel title="Balance">
        {answer.type === 'loading' ? <Loading what="the balance" /> : null}
        {answer.type === 'failed' ? <Failure title="No answer" detail={answer.reason} onRetry={again} /> : null}
        {answer.type === 'done' ? (
          <Facts
            facts={[
              ['Account', <Hex key="account" value={account} what="account" whole />],
              ...indexFacts(answer.value),
              ['Balance', answer.value.exists ? amount(answer.value.balance) : 'none: the account does not exist'],
              [
                'As of',
                <a key="height" href={href('explorer', 'block', answer.value.height)}>
                  block {count(answer.value.height)}
                </a>,
              ],
            ]}
          />
        ) : null}
      </Panel>
      <Panel title="Transactions" note="newest first, without rows of batches" flush>
        <TransactionList
          of={`account ${account}`}
          empty="No transactions yet"
          ask={(options) => client.accountTransactions(account, options)}
        />
      </Panel>
    </>
  );
}

import './explorer.css';
import { Empty } from '../../design/states.tsx';
import type { ViewProps } from '../../shell/later.tsx';
import { href } from '../../shell/router.ts';
import { AccountPage } from './account-page.tsx';
import { BatchPage } from './batch-page.tsx';
import { BlockPage } from './block-page.tsx';
import { BlocksPage } from './blocks-page.tsx';
import { SearchForm } from './search-form.tsx';
import { TransactionPage } from './transaction-page.tsx';

export function ExplorerView({ rest }: ViewProps) {
  return (
    <div className="view">
      <SearchForm />
      <Page rest={rest} />
    </div>
  );
}

function Page({ rest: [kind, name] }: ViewProps) {
  if (kind === undefined) {
    return (
      <>
        <h1 className="hidden-label">Explorer</h1>
        <BlocksPage />
      </>
    );
  }
  if (name !== undefined) {
    if (kind === 'block') return <BlockPage key={name} reference={name} />;
    if (kind === 'transaction') return <TransactionPage key={name} id={name} />;
    if (kind === 'batch') return <BatchPage key={name} id={name} />;
    if (kind === 'account') return <AccountPage key={name} account={name} />;
  }
  return (
    <Empty title="There is no such page">
      <a href={href('explorer')}>All blocks</a>
    </Empty>
  );
}

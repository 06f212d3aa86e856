import type { StorageStats } from '@slipstream/schema';
import { bytes, counted } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';

interface Store {
  readonly key: string;
  readonly name: string;
  readonly size: number | undefined;
}

export function DiskUse({ storage }: { readonly storage: StorageStats }) {
  const stores: readonly Store[] = [
    { key: 'log', name: `write-ahead log${filesOf(storage.logFiles)}`, size: storage.logBytes },
    { key: 'state', name: 'state', size: storage.stateBytes },
    { key: 'ledger', name: 'ledger', size: storage.ledgerBytes },
    { key: 'chunks', name: 'chunks', size: storage.chunkBytes },
  ];
  const known = stores.filter((store): store is Store & { size: number } => store.size !== undefined);
  const whole = known.reduce((sum, { size }) => sum + size, 0);
  if (known.length === 0) {
    return (
      <Panel title="Disk usage">
        <Empty title="Not measured yet">Folders are measured every ten seconds.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Disk usage" note={`${bytes(whole)} in total`}>
      <div className="stack">
        <div className="disk-bar" aria-hidden="true">
          {known.map(({ key, size }) => (
            <span key={key} data-store={key} style={{ flexGrow: size }} />
          ))}
        </div>
        <ul className="disk-legend">
          {known.map(({ key, name, size }) => (
            <li key={key} data-store={key}>
              <span>{name}</span> <b>{bytes(size)}</b>
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function filesOf(files: number | undefined): string {
  return files === undefined ? '' : `, ${counted(files, 'file')}`;
}

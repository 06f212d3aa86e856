/** The current epoch, what the next one changes, who is awaited, and the epochs before. */
import type { EpochRecordJson, Epochs, Listed, ValidatorView } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { count, dateAndTime, NONE } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Stat } from '../../design/stat.tsx';
import { Empty, LeftOut } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { differences, underWay } from './next-committee.ts';

const plain = (text: string) => ({ text, unit: '' });

export function EpochStats({ epochs, record }: { readonly epochs: Epochs; readonly record: EpochRecordJson }) {
  const { epoch, firstHeight, sealed, sealsFrom } = epochs.current;
  const next = sealed === null ? `from height ${count(sealsFrom)} on` : 'the record is sealed';
  return (
    <div className="stats">
      <Stat label="Epoch" value={plain(count(epoch))} more={`since height ${count(firstHeight)}`} />
      <Stat label="Members" value={plain(count(record.members.length))} more={`weight ${count(record.totalWeight)}`} />
      <Stat label="Next epoch" value={plain(sealed === null ? 'open' : 'sealed')} more={next} />
      <Stat label="Rules" value={plain(`version ${record.version}`)} more="of this epoch" />
    </div>
  );
}

interface NextPanelProps {
  readonly now: EpochRecordJson;
  readonly next: EpochRecordJson | undefined;
}

export function NextPanel({ now, next }: NextPanelProps) {
  if (next === undefined) {
    return (
      <Panel title="Next committee">
        <Empty title="Not sealed">A block seals the next record once a change is due.</Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Next committee" note={`epoch ${count(next.epoch)}, sealed`}>
      <ul className="stack">
        {differences(now, next).map(({ name, what }) => (
          <li key={`${name} ${what}`}>
            <b>{name}</b> {what}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface AwaitedPanelProps {
  readonly validators: readonly ValidatorView[];
  readonly isPartial: boolean;
}

export function AwaitedPanel({ validators, isPartial }: AwaitedPanelProps) {
  const awaited = validators.filter((validator) => underWay(validator) !== undefined);
  return (
    <Panel
      title="Under way"
      note={isPartial ? 'of the first validators: there are more' : 'candidates, rotations, leaves'}
    >
      {awaited.length === 0 ? (
        <Empty title="None">No validator joins, rotates its keys or leaves.</Empty>
      ) : (
        <ul className="stack">
          {awaited.map((validator) => (
            <li key={validator.id} className="row">
              <b>{validator.name}</b> <Hex value={validator.id} what="validator id" />
              <Badge tone={validator.ready ? 'info' : 'warn'}>{underWay(validator)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

type Summary = Epochs['items'][number];

export function RecentEpochs({ epochs }: { readonly epochs: Listed<Epochs> }) {
  const { epoch: current } = epochs.current;
  const columns: readonly Column<Summary>[] = [
    { key: 'epoch', title: 'Epoch', number: true, cell: ({ epoch }) => count(epoch) },
    { key: 'state', title: 'State', cell: (summary) => stateOf(summary, current) },
    { key: 'members', title: 'Members', number: true, cell: ({ members }) => count(members) },
    { key: 'weight', title: 'Weight', number: true, cell: ({ totalWeight }) => count(totalWeight) },
    { key: 'version', title: 'Rules', number: true, wideOnly: true, cell: ({ version }) => version },
    {
      key: 'hash',
      title: 'Record',
      wideOnly: true,
      cell: ({ recordHash }) => (recordHash === null ? NONE : <Hex value={recordHash} what="record hash" />),
    },
  ];
  return (
    <Panel title="Recent epochs" flush>
      <Table caption="Recent epochs" columns={columns} rows={epochs.items} rowKey={({ epoch }) => epoch} />
      <LeftOut malformed={epochs.malformed} />
    </Panel>
  );
}

function stateOf({ epoch, endedMs }: Summary, current: number): string {
  if (epoch > current) return 'sealed';
  return epoch === current || endedMs === null ? 'current' : `ended ${dateAndTime(endedMs)}`;
}

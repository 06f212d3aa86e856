/** The current epoch, what it changed and the next one will, who is awaited, and the epochs before. */
import type { EpochRecordJson, Epochs, Listed, ValidatorView } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { count, counted, dateAndTime, NONE } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Stat } from '../../design/stat.tsx';
import { Empty, LeftOut } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { useStream } from '../../stream/use-stream.ts';
import { differences, underWay } from './next-committee.ts';

const plain = (text: string) => ({ text, unit: '' });

export function EpochStats({ epochs, record }: { readonly epochs: Epochs; readonly record: EpochRecordJson }) {
  const { epoch, firstHeight, sealed, sealsFrom } = epochs.current;
  const height = useStream((snapshot) => snapshot.status?.height ?? 0);
  const { members, totalWeight, quorumWeight } = record;
  return (
    <div className="stats">
      <Stat label="Epoch" value={plain(count(epoch))} more={`since height ${count(firstHeight)}`} />
      <Stat
        label="Members"
        value={plain(count(members.length))}
        more={`weight ${count(totalWeight)}, quorum ${count(quorumWeight)}`}
      />
      <Stat
        label="Next epoch"
        value={plain(sealed === null ? 'unsealed' : 'sealed')}
        more={sealText(sealsFrom, height)}
      />
      <Stat label="Rules" value={plain(`version ${record.version}`)} more="of this epoch" />
    </div>
  );
}

/** `sealsFrom`: null once a record is sealed. */
function sealText(sealsFrom: number | null, height: number): string {
  if (sealsFrom === null) return 'begins within a few blocks';
  const blocks = sealsFrom - height;
  if (height === 0 || blocks <= 1) return 'the next due change is sealed at once';
  return `possible from height ${count(sealsFrom)} on, in ${counted(blocks, 'block')}`;
}

interface NextPanelProps {
  readonly now: EpochRecordJson;
  readonly next: EpochRecordJson | undefined;
}

export function NextPanel({ now, next }: NextPanelProps) {
  if (next === undefined) {
    return (
      <Panel title="Next committee">
        <Empty title="No change is sealed">
          A block seals the next committee when a change is approved, its time has come, and its node is ready.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel title="Next committee" note={`epoch ${count(next.epoch)}, sealed`}>
      <Differences before={now} after={next} />
      <p className="small soft">
        Epoch {count(now.epoch)} ends with a boundary block within a few blocks; the nodes go on without a restart.
      </p>
    </Panel>
  );
}

/** What the current epoch changed. */
export function LastChangePanel({ before, now }: { readonly before: EpochRecordJson; readonly now: EpochRecordJson }) {
  return (
    <Panel title="Last change" note={`began with epoch ${count(now.epoch)}`}>
      <Differences before={before} after={now} />
    </Panel>
  );
}

interface DifferencesProps {
  readonly before: EpochRecordJson;
  readonly after: EpochRecordJson;
}

function Differences({ before, after }: DifferencesProps) {
  const found = differences(before, after);
  if (found.length === 0) return <p>Governance alone: the committee and its parameters stay.</p>;
  return (
    <ul className="stack">
      {found.map(({ name, what }) => (
        <li key={`${name} ${what}`}>
          <b>{name}</b> {what}
        </li>
      ))}
    </ul>
  );
}

interface AwaitedPanelProps {
  readonly waiting: readonly ValidatorView[];
  readonly hasMore: boolean;
}

export function AwaitedPanel({ waiting, hasMore }: AwaitedPanelProps) {
  return (
    <Panel
      title="Waiting for a seal"
      note={hasMore ? `the first ${waiting.length}: there are more` : 'candidates, rotations, leaves'}
    >
      {waiting.length === 0 ? (
        <Empty title="No validator">No validator joins, rotates its keys or leaves.</Empty>
      ) : (
        <ul className="stack">
          {waiting.map((validator) => (
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
  if (epoch > current) return 'sealed, not begun';
  return epoch === current || endedMs === null ? 'current' : `ended ${dateAndTime(endedMs)}`;
}

import type { EpochRecordJson, ValidatorView } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { count, percent } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { underWay } from './next-committee.ts';

type Member = EpochRecordJson['members'][number];

interface MembersTableProps {
  readonly record: EpochRecordJson;
  /** Sealed. */
  readonly next: EpochRecordJson | undefined;
  /** By id: those that a seal is awaited for. */
  readonly waiting: ReadonlyMap<string, ValidatorView>;
}

export function MembersTable({ record, next, waiting }: MembersTableProps) {
  const { epoch, members, totalWeight, quorumWeight } = record;
  const columns: readonly Column<Member>[] = [
    { key: 'index', title: 'No.', number: true, wideOnly: true, cell: ({ index }) => index },
    { key: 'name', title: 'Validator', cell: ({ name }) => <b>{name}</b> },
    { key: 'weight', title: 'Weight', number: true, cell: ({ weight }) => count(weight) },
    {
      key: 'share',
      title: 'Share',
      number: true,
      wideOnly: true,
      cell: ({ weight }) => percent(weight / totalWeight),
    },
    { key: 'address', title: 'Address', wideOnly: true, cell: ({ address }) => <code>{address}</code> },
    {
      key: 'id',
      title: 'Id',
      wideOnly: true,
      cell: ({ validatorId }) => <Hex value={validatorId} what="validator id" />,
    },
    {
      key: 'state',
      title: 'State',
      cell: (member) => <State member={member} next={next} validator={waiting.get(member.validatorId)} />,
    },
  ];
  return (
    <Panel
      title="Members now"
      note={`epoch ${count(epoch)} · quorum ${count(quorumWeight)} of ${count(totalWeight)}`}
      flush
    >
      <Table caption="Members" columns={columns} rows={members} rowKey={({ validatorId }) => validatorId} />
    </Panel>
  );
}

interface StateProps {
  readonly member: Member;
  readonly next: EpochRecordJson | undefined;
  readonly validator: ValidatorView | undefined;
}

function State({ member, next, validator }: StateProps) {
  const stays = next === undefined || next.members.some(({ validatorId }) => validatorId === member.validatorId);
  if (!stays) return <Badge tone="warn">leaves with epoch {count(next.epoch)}</Badge>;
  const what = validator && underWay(validator);
  if (what !== undefined) return <Badge tone={validator?.ready ? 'info' : 'warn'}>{what}</Badge>;
  return member.leads ? <>member</> : <Badge tone="warn">leads no view</Badge>;
}

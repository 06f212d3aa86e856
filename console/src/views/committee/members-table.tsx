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
  /** By id. */
  readonly validators: ReadonlyMap<string, ValidatorView>;
}

export function MembersTable({ record, validators }: MembersTableProps) {
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
      cell: (member) => <State member={member} validator={validators.get(member.validatorId)} />,
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

function State({ member, validator }: { readonly member: Member; readonly validator: ValidatorView | undefined }) {
  const what = validator && underWay(validator);
  if (what !== undefined) return <Badge tone={validator?.ready ? 'info' : 'warn'}>{what}</Badge>;
  return member.leads ? <>member</> : <Badge tone="warn">leads no view</Badge>;
}

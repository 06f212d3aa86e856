/** Entries of tables by key, as their proof shows them; those of sorted tables also in order, as this node says. */
import type { Json, TableManifest } from '@slipstream/app/program';
import type { TableEntries } from '@slipstream/schema';
import { type FormEvent, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { count } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { ProofBody } from '../../proof/proof-panel.tsx';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import type { ProvenEntry } from '../../proof/verify-message.ts';
import { Pager } from '../explorer/pager.tsx';
import { usePaging } from '../explorer/pages.ts';
import { RecordFields } from './form-fields.tsx';
import { JsonValue } from './json-value.tsx';
import { type InstalledApplication, jsonOfManifest } from './manifest.ts';
import { useDraft } from './use-draft.ts';

export function TablePanel({ application }: { readonly application: InstalledApplication }) {
  const { tables } = application.manifest;
  const [name, setName] = useState(tables[0]?.name ?? '');
  const table = tables.find((each) => each.name === name);
  return (
    <Panel title="Look up an entry" note="what its proof shows">
      <div className="stack">
        <SelectField label="Table" value={name} options={tables.map((each) => each.name)} onChange={setName} />
        {table === undefined ? null : <Lookup key={name} application={application} table={table} />}
        {table?.kind === 'sorted' ? (
          <SortedEntries key={`${name} in order`} application={application} table={table} />
        ) : null}
      </div>
    </Panel>
  );
}

interface OfTable {
  readonly application: InstalledApplication;
  readonly table: TableManifest;
}

const partName = ({ keyIsSingle }: TableManifest, i: number) => (keyIsSingle ? 'key' : `key${i + 1}`);

function Lookup({ application, table }: OfTable) {
  const fields = table.key.map((of, i) => ({ name: partName(table, i), of }));
  const form = useDraft(fields, 'key');
  const [asked, setAsked] = useState<{ readonly key: Uint8Array; readonly round: number }>();
  const find = (event: FormEvent) => {
    event.preventDefault();
    const parts = form.attempt();
    if (parts === undefined) return;
    const values = fields.map(({ name }) => parts[name] ?? null);
    const key = jsonOfManifest(application.manifest).keyFromJson(table.number, table.keyIsSingle ? values[0] : values);
    setAsked({ key, round: (asked?.round ?? 0) + 1 });
  };
  return (
    <>
      <form className="stack" onSubmit={find} noValidate>
        <RecordFields fields={fields} drafts={form.drafts} path="key" faults={form.faults} onChange={form.change} />
        <div>
          <Button kind="primary" type="submit">
            Look up
          </Button>
        </div>
      </form>
      {asked === undefined ? null : (
        <Found key={asked.round} application={application} table={table} asked={asked.key} />
      )}
    </>
  );
}

function Found({ application, table, asked }: OfTable & { readonly asked: Uint8Array }) {
  const of = { type: 'entry', application: application.number, table: table.number, key: asked } as const;
  const proof = useProof(`${table.name} ${asked.join(' ')}`, { kind: 'state', of });
  const entry = proof.verification?.entry ?? null;
  return (
    <>
      <VerdictLine what={`Entry of ${table.name}`} verification={proof.verification} />
      {entry?.kind === 'entry' ? <Facts facts={factsOf(application, table, entry)} /> : null}
      <details>
        <summary>Proof</summary>
        <ProofBody proof={proof} hasCommand={false} />
      </details>
    </>
  );
}

type ProvenTableEntry = Extract<ProvenEntry, { readonly kind: 'entry' }>;

function factsOf({ manifest }: InstalledApplication, table: TableManifest, entry: ProvenTableEntry): readonly Fact[] {
  const at: Fact = ['Height', count(entry.height)];
  if (entry.value === null) {
    const reads = table.empty as Json | undefined;
    const absent = (
      <span key="value">none: proven absent{reads === undefined ? '' : `, read as ${JSON.stringify(reads)}`}</span>
    );
    return [['Value', absent], at];
  }
  const { version, value } = jsonOfManifest(manifest).valueToJson(table.number, entry.value);
  const facts: readonly Fact[] = [['Value', <JsonValue key="value" value={value} />], at];
  return version === table.version ? facts : [...facts, ['Written by version', String(version)]];
}

type EntryRow = TableEntries['items'][number];

const COLUMNS: readonly Column<EntryRow>[] = [
  { key: 'key', title: 'Key', cell: ({ key }) => <JsonValue value={key as Json} /> },
  { key: 'value', title: 'Value', cell: ({ value }) => <JsonValue value={value as Json} /> },
];

function SortedEntries({ application, table }: OfTable) {
  const paging = usePaging();
  const { cursor } = paging;
  const params = { application: application.name, table: table.name };
  const { answer, again } = useQuery<TableEntries>(`entries of ${table.name} ${cursor}`, (signal) =>
    client.call('tableEntries', { params, query: { cursor }, signal }),
  );
  if (answer.type === 'loading') return <Loading what="entries" />;
  if (answer.type === 'failed') return <Failure title="No answer" detail={answer.reason} onRetry={again} />;
  const { items, next, height } = answer.value;
  if (items.length === 0) return <Empty title="No entries yet" />;
  return (
    <div className="stack">
      <p className="small soft">In the order of keys, at height {count(height)}, as this node says.</p>
      <Table
        caption={`Entries of ${table.name}`}
        columns={COLUMNS}
        rows={items}
        rowKey={({ key }) => JSON.stringify(key)}
      />
      <Pager paging={paging} next={next} words={['Previous', 'Next']} />
    </div>
  );
}

/** Queries: what this node computes of the committed state, without a proof. */
import type { Json, QueryManifest } from '@slipstream/app/program';
import type { QueryAnswer } from '@slipstream/schema';
import { type FormEvent, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { count } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { client, explain } from '../../node/client.ts';
import { RecordFields } from './form-fields.tsx';
import { JsonValue } from './json-value.tsx';
import type { InstalledApplication } from './manifest.ts';
import { useDraft } from './use-draft.ts';

export function QueryPanel({
  application: { name: application, manifest },
}: {
  readonly application: InstalledApplication;
}) {
  const { queries } = manifest;
  const [name, setName] = useState(queries[0]?.name ?? '');
  const query = queries.find((each) => each.name === name);
  return (
    <Panel title="Run a query" note="as this node computes it">
      <div className="stack">
        <SelectField label="Query" value={name} options={queries.map((each) => each.name)} onChange={setName} />
        {query === undefined ? null : <QueryForm key={name} application={application} query={query} />}
      </div>
    </Panel>
  );
}

type Asked = { readonly answer: QueryAnswer } | { readonly reason: string } | undefined;

function QueryForm({ application, query }: { readonly application: string; readonly query: QueryManifest }) {
  const fields = query.input.form === 'record' ? query.input.fields : [];
  const form = useDraft(fields, 'input');
  const [asked, setAsked] = useState<Asked>();
  const run = async (event: FormEvent) => {
    event.preventDefault();
    const body = form.attempt();
    if (body === undefined) return;
    try {
      setAsked({ answer: await client.call('applicationQuery', { params: { application, query: query.name }, body }) });
    } catch (error) {
      setAsked({ reason: explain(error) });
    }
  };
  return (
    <form className="stack" onSubmit={run} noValidate>
      <RecordFields fields={fields} drafts={form.drafts} path="input" faults={form.faults} onChange={form.change} />
      <div>
        <Button kind="primary" type="submit">
          Run
        </Button>
      </div>
      {asked === undefined ? null : 'reason' in asked ? (
        <p className="small" role="alert">
          {asked.reason}
        </p>
      ) : (
        <div role="status">
          <Facts
            facts={[
              ['Result', <JsonValue key="output" value={asked.answer.output as Json} />],
              ['Height', count(asked.answer.height)],
            ]}
          />
        </div>
      )}
    </form>
  );
}

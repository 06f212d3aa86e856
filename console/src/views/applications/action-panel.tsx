/** A form for each action. On a development chain the page signs with a key of its own. */
import type { ActionManifest, FormDescription } from '@slipstream/app/program';
import type { TransactionView } from '@slipstream/schema';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { client, explain } from '../../node/client.ts';
import { href } from '../../shell/router.ts';
import { useStream } from '../../stream/use-stream.ts';
import { STATUS_TONES } from '../explorer/transaction-list.tsx';
import { RecordFields } from './form-fields.tsx';
import { JsonValue } from './json-value.tsx';
import type { InstalledApplication } from './manifest.ts';
import { generatePageKey, usePageKey } from './page-key.ts';
import { type CallOrder, callJson, sendCall } from './send-call.ts';
import { useDraft } from './use-draft.ts';

export function ActionPanel({ application }: { readonly application: InstalledApplication }) {
  const { actions } = application.manifest;
  const [name, setName] = useState(actions[0]?.name ?? '');
  const action = actions.find((each) => each.name === name);
  return (
    <Panel title="Call an action">
      <div className="stack">
        <PageKey />
        <SelectField label="Action" value={name} options={actions.map((each) => each.name)} onChange={setName} />
        {action === undefined ? null : <ActionForm key={name} application={application} action={action} />}
      </div>
    </Panel>
  );
}

function PageKey() {
  const key = usePageKey();
  const hasFaucet = useStream(({ status }) => status?.faucet ?? false);
  if (!hasFaucet) {
    return (
      <p className="small soft">
        This chain has no faucet, so the console signs nothing here: it encodes the call, to be signed with the SDK.
      </p>
    );
  }
  if (key === null) {
    return (
      <div className="stack">
        <p className="small soft">Calls are signed in this page, with a key that it keeps until it is loaded again.</p>
        <div>
          <Button onClick={generatePageKey}>Generate a key</Button>
        </div>
      </div>
    );
  }
  return (
    <div className="row small">
      <span className="soft">Signed by</span>
      <Hex value={key.accountText} href={href('explorer', 'account', key.accountText)} what="account" />
      <FundButton account={key.accountText} />
    </div>
  );
}

function FundButton({ account }: { readonly account: string }) {
  const [words, setWords] = useState('Request test funds');
  const [busy, setBusy] = useState(false);
  const fund = async () => {
    setBusy(true);
    try {
      const { status } = await client.faucet(account, { wait: 'final' });
      setWords(status === 'final' ? 'Funded: request more' : `The transfer is ${status}: request again`);
    } catch (error) {
      setWords(`${explain(error)} Request again`);
    }
    setBusy(false);
  };
  return (
    <Button kind="quiet" disabled={busy} onClick={fund}>
      {busy ? 'Waiting for finality …' : words}
    </Button>
  );
}

interface ActionFormProps {
  readonly application: InstalledApplication;
  readonly action: ActionManifest;
}

function ActionForm({ application, action }: ActionFormProps) {
  const fields = fieldsOfRecord(action.input);
  const form = useDraft(fields, 'input');
  const [encoded, setEncoded] = useState<string>();
  const { key, sent, send } = useCalls();

  const orderOf = (): CallOrder | undefined => {
    const input = form.attempt();
    return input && { application, action: action.number, input };
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const order = orderOf();
    if (order !== undefined && key !== null) void send(order);
  };
  const encode = () => {
    const order = orderOf();
    setEncoded(order && callJson(order));
  };
  return (
    <form className="stack" onSubmit={submit} noValidate>
      {fields.length === 0 ? <p className="small soft">This action takes no input.</p> : null}
      <RecordFields fields={fields} drafts={form.drafts} path="input" faults={form.faults} onChange={form.change} />
      {form.faults.size === 0 ? null : (
        <p className="small field-fault" role="alert">
          {form.faults.size === 1 ? 'One field has' : `${form.faults.size} fields have`} no value that the action takes.
        </p>
      )}
      <div className="row">
        <Button kind="primary" type="submit" disabled={key === null || sent.type === 'sending'}>
          {sent.type === 'sending' ? 'Waiting for finality …' : 'Sign and send'}
        </Button>
        <Button onClick={encode}>Encode</Button>
      </div>
      {encoded === undefined ? null : (
        <div className="stack">
          <p className="small soft">
            One action of a transaction, as <code>POST /v1/transactions</code> takes it once it is signed:
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
          <pre className="form-json" tabIndex={0}>
            {encoded}
          </pre>
        </div>
      )}
      <SentCall sent={sent} />
    </form>
  );
}

type Sent =
  | { readonly type: 'nothing' | 'sending' }
  | { readonly type: 'sent'; readonly view: TransactionView }
  | { readonly type: 'failed'; readonly reason: string };

function useCalls() {
  const key = usePageKey();
  const [sent, setSent] = useState<Sent>({ type: 'nothing' });
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function send(order: CallOrder): Promise<void> {
    if (key === null) return;
    const controller = new AbortController();
    abort.current = controller;
    const { signal } = controller;
    setSent({ type: 'sending' });
    try {
      const view = await sendCall(client, order, { by: key, nodeNowMs: Date.now() - skewMs, signal });
      setSent({ type: 'sent', view });
    } catch (error) {
      if (!signal.aborted) setSent({ type: 'failed', reason: explain(error) });
    }
  }
  return { key, sent, send };
}

function SentCall({ sent }: { readonly sent: Sent }) {
  if (sent.type === 'failed') {
    return (
      <p className="small" role="alert">
        {sent.reason}
      </p>
    );
  }
  if (sent.type !== 'sent') return null;
  const { id, status, events = [], failure, receipt } = sent.view;
  const outcome = receipt?.outcome;
  return (
    <div className="stack" role="status">
      <div className="row small">
        <Badge tone={STATUS_TONES[status]}>{status}</Badge>
        <Hex value={id} href={href('explorer', 'transaction', id)} what="transaction id" />
        {outcome?.status === 'failed' ? <span>{failure ?? outcome.code}: only the fee was charged</span> : null}
      </div>
      {events.map((event, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events of a receipt are a fixed list, and two may be equal
        <div key={i}>
          <b>{event.name ?? `event ${event.event}`}</b>
          <JsonValue value={(event.fields as { readonly [name: string]: string } | undefined) ?? event.body} />
        </div>
      ))}
    </div>
  );
}

function fieldsOfRecord(form: FormDescription) {
  return form.form === 'record' ? form.fields : [];
}

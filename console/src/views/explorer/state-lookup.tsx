/** Data of an account, and sessions, by their proofs alone: what there is, and that there is none. */
import { type FormEvent, useState } from 'react';
import { Button, Field } from '../../design/button.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { amount, dateAndTime } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { ProofBody } from '../../proof/proof-panel.tsx';
import { useProof } from '../../proof/use-proof.ts';
import { VerdictLine } from '../../proof/verdict-line.tsx';
import type { ProvenEntry, StateName } from '../../proof/verify-message.ts';
import { href } from '../../shell/router.ts';

const ID = /^(?:0x)?[0-9a-f]{64}$/;
const NAME_MAX = 28;

export function StateLookup({ account }: { readonly account: string }) {
  const [text, setText] = useState('');
  const [of, setOf] = useState<StateName>();
  const find = (event: FormEvent) => {
    event.preventDefault();
    setOf(stateName(account, text.trim()));
  };
  return (
    <Panel title="Data and sessions" note="what their proof shows">
      <div className="stack">
        <form className="search-form" onSubmit={find}>
          <Field
            label="Name of data, or id of a session"
            value={text}
            onChange={setText}
            placeholder={`At most ${NAME_MAX} characters, or 64 hexadecimal digits`}
          />
          <Button kind="primary" type="submit" disabled={text.trim() === ''}>
            Look up
          </Button>
        </form>
        {of === undefined ? null : <Found key={JSON.stringify(of)} of={of} />}
      </div>
    </Panel>
  );
}

function stateName(account: string, text: string): StateName {
  const id = text.toLowerCase();
  if (!ID.test(id)) return { type: 'data', account, name: text };
  return { type: 'session', id: id.startsWith('0x') ? id : `0x${id}` };
}

function Found({ of }: { readonly of: StateName }) {
  const proof = useProof(JSON.stringify(of), { kind: 'state', of });
  const entry = proof.verification?.entry ?? null;
  return (
    <>
      <VerdictLine what={of.type === 'data' ? `Data “${of.name}”` : 'Session'} verification={proof.verification} />
      {entry === null || entry.kind === 'entry' ? null : <Facts facts={factsOf(entry)} />}
      <details>
        <summary>Proof</summary>
        <ProofBody proof={proof} />
      </details>
    </>
  );
}

function factsOf(entry: Exclude<ProvenEntry, { readonly kind: 'entry' }>): readonly Fact[] {
  if (entry.kind === 'data') {
    return [['Value', entry.value === null ? 'none: proven absent' : <code key="value">{entry.value}</code>]];
  }
  const { session } = entry;
  if (session === null) return [['Session', 'none: proven absent']];
  return [
    ['State', session.revoked ? 'revoked' : 'not revoked'],
    [
      'Account',
      <Hex key="account" value={session.account} href={href('explorer', 'account', session.account)} what="account" />,
    ],
    ['Owner', <Hex key="owner" value={session.owner} href={href('explorer', 'account', session.owner)} what="owner" />],
    ['Session key', <Hex key="key" value={session.sessionKey} what="session key" />],
    ['Scope', session.scope.join(', ')],
    ['Spent', `${amount(session.spent)} of ${amount(session.spendLimit)}`],
    ['Expires', dateAndTime(session.expiryMs)],
  ];
}

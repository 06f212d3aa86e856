/** Injects and removes faults in a development network. Needs the control token. */
import { useState } from 'react';
import { Button, Field } from '../../design/button.tsx';
import { explain } from '../../node/client.ts';
import { controlToken, type FleetAction, runFleetAction, storeControlToken } from '../../node/fleet.ts';
import { ACTS, type ActEntry, possible } from './fleet-actions.ts';
import type { FleetEntry } from './fleet-entries.ts';

interface DangerZoneProps {
  readonly entries: readonly FleetEntry[];
  readonly onDone: () => void;
}

export function DangerZone({ entries, onDone }: DangerZoneProps) {
  const [token, setToken] = useState(controlToken);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<FleetAction>();
  const [said, setSaid] = useState<{ readonly failed: boolean; readonly text: string }>();
  const names = entries.filter(({ name }) => picked.has(name)).map(({ name }) => name);

  const act = async ({ act: what, done }: ActEntry) => {
    setBusy(what);
    setSaid(undefined);
    try {
      storeControlToken(token);
      await runFleetAction(what, what === 'heal' ? [] : names, token);
      setSaid({ failed: false, text: `${done}${what === 'heal' ? '' : `: ${names.join(', ')}`}.` });
    } catch (error) {
      setSaid({ failed: true, text: explain(error) });
    }
    setBusy(undefined);
    onDone();
  };

  return (
    <section className="danger" aria-labelledby="danger-title">
      <header className="danger-head">
        <h2 id="danger-title">Danger zone</h2>
        <p className="small">Inject faults into this development network.</p>
      </header>
      <div className="danger-body stack">
        <Field
          label="Control token"
          type="password"
          value={token}
          onChange={setToken}
          hint="The devnet command printed it as part of the address of this page. Stored in this tab only."
        />
        <NodePicker entries={entries} picked={picked} onPick={setPicked} />
        <fieldset className="danger-acts">
          <legend>Actions on {names.length === 0 ? 'them' : names.join(', ')}</legend>
          {ACTS.map((entry) => (
            <div key={entry.act} className="danger-act">
              <Button
                disabled={busy !== undefined || token === '' || !possible(entry.act, names, entries)}
                onClick={() => void act(entry)}
              >
                {busy === entry.act ? `${entry.title} …` : entry.title}
              </Button>
              <span className="small soft">{entry.means}</span>
            </div>
          ))}
        </fieldset>
        <p className="danger-said small" role="status" data-failed={said?.failed}>
          {said?.text}
        </p>
      </div>
    </section>
  );
}

interface NodePickerProps {
  readonly entries: readonly FleetEntry[];
  readonly picked: ReadonlySet<string>;
  readonly onPick: (picked: ReadonlySet<string>) => void;
}

function NodePicker({ entries, picked, onPick }: NodePickerProps) {
  const toggle = (name: string) => {
    const next = new Set(picked);
    if (!next.delete(name)) next.add(name);
    onPick(next);
  };
  return (
    <fieldset className="danger-nodes">
      <legend>Nodes</legend>
      {entries.map(({ name }) => (
        <label key={name} className="danger-node">
          <input type="checkbox" checked={picked.has(name)} onChange={() => toggle(name)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Explains the effect and asks for the admin token, which is not stored. */
import type { Peer } from '@slipstream/schema';
import { type FormEvent, useState } from 'react';
import { Button, Field } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { adminClient, explain } from '../../node/client.ts';
import { peerTitle } from './peer-name.tsx';

interface UnblockDialogProps {
  readonly peer: Peer;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function UnblockDialog({ peer, onClose, onDone }: UnblockDialogProps) {
  const [token, setToken] = useState('');
  const [busy, setBusy] = useState(false);
  const [reason, setReason] = useState<string>();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setReason(undefined);
    try {
      await adminClient(token).unblockPeer(peer.peer);
      onDone();
      onClose();
    } catch (error) {
      setReason(explain(error));
      setBusy(false);
    }
  };

  return (
    <Dialog title={`Unblock ${peerTitle(peer)}?`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>
          This node will accept connections and votes from this peer again. Evidence is retained, other nodes are not
          informed, and the action is written to the audit log. If the peer misbehaves again, it is blocked again.
        </p>
        <Field
          label="Admin token"
          type="password"
          value={token}
          onChange={setToken}
          hint="From the configuration of this node. It is sent with this request alone and not stored."
        />
        {reason === undefined ? null : <p role="alert">{reason}</p>}
        <div className="dialog-actions">
          <Button onClick={onClose}>Keep blocked</Button>
          <Button kind="primary" type="submit" disabled={busy || token === ''}>
            {busy ? 'Unblocking …' : 'Unblock'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

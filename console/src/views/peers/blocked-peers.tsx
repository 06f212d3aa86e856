/** Reason, time, who blocked, and a button to unblock. */
import type { Peer } from '@slipstream/schema';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { ago, count, dateAndTime } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { relayedNode } from '../../node/chosen.ts';
import { useNow } from '../../node/use-now.ts';
import { href } from '../../shell/router.ts';
import { useStream } from '../../stream/use-stream.ts';
import { PeerName, peerTitle } from './peer-name.tsx';
import { UnblockDialog } from './unblock-dialog.tsx';

/** Unlisted reasons are shown unchanged. */
const REASONS: Readonly<Record<string, string>> = {
  'invalid-signature': 'It sent a vote whose signature does not verify.',
  'conflicting-votes': 'It signed two conflicting votes.',
  equivocation: 'It proposed two blocks in one view.',
  'wrong-signer': 'It sent a vote in the name of another.',
  'malformed-frame': 'It sent bytes that are not a valid message.',
  oversize: 'It sent a message larger than its kind allows.',
  'invalid-certificate': 'It sent a certificate that does not verify.',
  'invalid-chunk': 'It sent a chunk that does not hold what it claims.',
  'bad-sync': 'It answered a request for blocks with wrong ones.',
};

export function BlockedPeers({ peers, onChange }: { readonly peers: readonly Peer[]; readonly onChange: () => void }) {
  const [asked, setAsked] = useState<Peer>();
  const blocked = peers.filter((peer) => peer.blocked !== null);
  return (
    <Panel title="Blocked" note={count(blocked.length)} flush>
      {blocked.length === 0 ? (
        <Empty title="No blocked peers">
          A peer that sends invalid signatures is blocked by its identity and listed here.
        </Empty>
      ) : (
        blocked.map((peer) => <BlockedPeer key={peer.peer} peer={peer} onUnblock={() => setAsked(peer)} />)
      )}
      {asked === undefined ? null : (
        <UnblockDialog peer={asked} onClose={() => setAsked(undefined)} onDone={onChange} />
      )}
    </Panel>
  );
}

function BlockedPeer({ peer, onUnblock }: { readonly peer: Peer; readonly onUnblock: () => void }) {
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const now = useNow(1_000);
  if (peer.blocked === null) return null;
  const { reason, detail, view, atMs, by } = peer.blocked;
  const facts: readonly Fact[] = [
    ['Reason', REASONS[reason] === undefined ? reason : `${REASONS[reason]} (${reason})`],
    ...(detail === undefined || detail === '' ? [] : [['Evidence', detail] as const]),
    ...(view === undefined
      ? []
      : [
          [
            'In view',
            <a key="view" href={href('timeline', view)}>
              {count(view)}
            </a>,
          ] as const,
        ]),
    ['Since', `${dateAndTime(atMs)}, ${ago(Math.max(0, now - skewMs - atMs))}`],
    ['Blocked by', by === 'operator' ? 'an operator' : 'this node'],
  ];
  return (
    <div className="blocked">
      <div className="blocked-head">
        <PeerName peer={peer} />
        {relayedNode() === undefined ? (
          <Button onClick={onUnblock} label={`Unblock ${peerTitle(peer)}`}>
            Unblock …
          </Button>
        ) : null}
      </div>
      <Facts facts={facts} />
    </div>
  );
}

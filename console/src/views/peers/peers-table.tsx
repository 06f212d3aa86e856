/** Validators first, in committee order, so that rows keep their places. */
import type { Peer } from '@slipstream/schema';
import { Badge } from '../../design/badge.tsx';
import { bytes, count, duration, NONE } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Term } from '../../design/term.tsx';
import { PeerName, peerTitle } from './peer-name.tsx';

const COLUMNS: readonly Column<Peer>[] = [
  { key: 'peer', title: 'Peer', cell: (peer) => <PeerName peer={peer} /> },
  {
    key: 'role',
    title: 'Role',
    wideOnly: true,
    cell: ({ role, validator }) => (validator === null ? role.replace('-', ' ') : `validator\u00a0${validator}`),
  },
  { key: 'state', title: 'State', cell: (peer) => <PeerState peer={peer} /> },
  {
    key: 'latency',
    title: <Term word="Latency" means="Round-trip time to the peer, as last measured by this node." />,
    number: true,
    cell: ({ roundTripMs }) => duration(roundTripMs),
  },
  { key: 'in', title: 'Received', number: true, wideOnly: true, cell: ({ bytesIn }) => bytes(bytesIn) },
  { key: 'out', title: 'Sent', number: true, wideOnly: true, cell: ({ bytesOut }) => bytes(bytesOut) },
  {
    key: 'votes',
    title: (
      <Term
        word="Votes, late"
        means="Votes received from the peer since start, and votes that arrived after their quorum."
      />
    ),
    number: true,
    wideOnly: true,
    cell: ({ votesSeen, votesLate }) => (votesSeen === undefined ? NONE : `${count(votesSeen)}, ${count(votesLate)}`),
  },
  {
    key: 'queue',
    title: (
      <Term
        word="Queue"
        means="Bytes queued for the peer, and frames dropped since start because the queue was full."
      />
    ),
    number: true,
    wideOnly: true,
    cell: ({ queuedBytes, framesDropped }) => `${bytes(queuedBytes)}, ${count(framesDropped)} dropped`,
  },
  {
    key: 'address',
    title: 'Address',
    wideOnly: true,
    cell: ({ address, failure }) => (
      <>
        <code title={address ?? undefined}>{placeOf(address)}</code>
        {failure === undefined ? null : <p>{failure}</p>}
      </>
    ),
  },
];

export function PeersTable({ peers }: { readonly peers: readonly Peer[] }) {
  const sorted = [...peers].sort(inOrder);
  const connected = peers.filter(({ connected }) => connected).length;
  return (
    <Panel title="Peers" note={`${count(connected)} of ${count(peers.length)} connected`} flush>
      {peers.length === 0 ? (
        <Empty title="No peers">
          A development chain of one validator has none. Otherwise check the network of this node.
        </Empty>
      ) : (
        <Table
          caption="Peers"
          columns={COLUMNS}
          rows={sorted}
          rowKey={({ peer }) => peer}
          rowTone={({ blocked, connected }) => (blocked !== null ? 'bad' : connected ? undefined : 'warn')}
        />
      )}
    </Panel>
  );
}

function PeerState({ peer }: { readonly peer: Peer }) {
  if (peer.blocked !== null) return <Badge tone="bad">blocked</Badge>;
  return peer.connected ? <Badge tone="good">connected</Badge> : <Badge tone="warn">lost</Badge>;
}

/** Host and port, also of /ip4/10.0.0.7/tcp/9000/p2p/... */
export function placeOf(address: string | null): string {
  if (address === null) return NONE;
  const parts = /^\/(?:ip4|dns4?)\/([^/]+)\/tcp\/(\d+)/.exec(address);
  if (parts !== null) return `${parts[1]}:${parts[2]}`;
  const six = /^\/(?:ip6|dns6)\/([^/]+)\/tcp\/(\d+)/.exec(address);
  return six === null ? address : `[${six[1]}]:${six[2]}`;
}

function inOrder(a: Peer, b: Peer): number {
  const places = (a.validator ?? Number.POSITIVE_INFINITY) - (b.validator ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(places) || places === 0 ? peerTitle(a).localeCompare(peerTitle(b)) : places;
}

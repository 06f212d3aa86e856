import './peers.css';
import type { Listed, Peers } from '@slipstream/schema';
import { Failure, LeftOut } from '../../design/states.tsx';
import { relayedNode } from '../../node/chosen.ts';
import { client } from '../../node/client.ts';
import { useQuery } from '../../node/use-ask.ts';
import { useStream } from '../../stream/use-stream.ts';
import { BlockedPeers } from './blocked-peers.tsx';
import { EvidencePanel } from './evidence-panel.tsx';
import { PeersTable } from './peers-table.tsx';

/** Latency and bytes are not streamed, so the open view queries them. */
const ASK_EVERY_MS = 2_000;

export function PeersView() {
  const streamed = useStream((snapshot) => snapshot.peers);
  const version = useStream((snapshot) => snapshot.peersVersion);
  const relayed = relayedNode();
  const ask = (signal: AbortSignal): Promise<Listed<Peers> | undefined> =>
    relayed === undefined ? client.peers({ signal }) : Promise.resolve(undefined);
  const { answer, again } = useQuery(`peers ${version}`, ask, { everyMs: ASK_EVERY_MS });
  const peers = (answer.type === 'done' ? answer.value?.items : undefined) ?? streamed;
  return (
    <div className="view">
      <h1 className="hidden-label">Peers</h1>
      {answer.type === 'failed' ? (
        <Failure title="Latency and bytes could not be read" detail={answer.reason} onRetry={again} />
      ) : null}
      {relayed === undefined ? null : (
        <p className="small soft">
          As reported by {relayed}. Latency and bytes date from when this page connected; evidence and unblocking are in
          its own console.
        </p>
      )}
      <BlockedPeers peers={peers} onChange={again} />
      <PeersTable peers={peers} />
      <LeftOut malformed={(answer.type === 'done' ? answer.value?.malformed : undefined) ?? []} />
      {relayed === undefined ? <EvidencePanel /> : null}
    </div>
  );
}

import type { Consensus } from '@slipstream/consensus';
import type { StateCertificate } from '@slipstream/types';
import { NodeError } from '../errors.ts';
import type { OperatorView } from '../operator/operator-view.ts';
import { diskFailure } from '../storage/disk-failure.ts';
import type { Building } from './building.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import { type AskPeer, createDivergenceReport, type DivergenceReport } from './divergence.ts';
import type { NodeParts } from './parts.ts';
import type { Submission } from './submission.ts';

interface CommitParts extends Pick<NodeParts, 'dissemination'> {
  readonly executor: Building['executor'];
  readonly submission: Submission;
  readonly view: OperatorView;
  readonly consensus: Consensus;
  readonly fail: (reason: unknown) => void;
  readonly explain: DivergenceReport;
}

export function connectCommits(parts: CommitParts): void {
  const { dissemination, executor, submission, view, consensus, fail, explain } = parts;
  executor.onOrdered(({ block }) => submission.ordered(block));
  executor.onCommitted((committed) => {
    const { blockId, block, executedIds, skipped, executeMs } = committed;
    dissemination.committed(blockId, block, { executedIds, skipped, executeMs });
    consensus.committed(block, dissemination.logFloor());
    consensus.pendingChanged();
    submission.committed(committed);
    view.committed(block);
  });
  executor.onHalted(({ type, message, certified, byDisk }) => {
    if (byDisk) return fail(diskFailure(message));
    void whyHalted(message, certified, explain).then((why) => {
      view.halted(why);
      fail(new NodeError('node-failed', why, { halt: type }));
    });
  });
}

export function divergenceReportOf(
  { world, identity, executor }: Building,
  { transport }: Pick<NodeParts, 'transport'>,
  { sync }: Pick<ConnectedConsensus, 'sync'>,
): DivergenceReport {
  const query: AskPeer = (peer, blockId) => sync.ask(peer, { query: 'segment', id: blockId });
  const peers = () => transport.peers().flatMap(({ peer, connected }) => (connected ? [peer] : []));
  const { genesisHash } = identity;
  return createDivergenceReport({ clock: world.clock, genesisHash, peers, ask: query, own: executor.segment });
}

/** Never rejects: a report without the difference is better than none. */
async function whyHalted(message: string, certified: StateCertificate | undefined, explain: DivergenceReport) {
  if (certified === undefined) return message;
  const found = await explain(certified).catch((error: unknown) => `what differs could not be found: ${String(error)}`);
  return `${message}; ${found}. Nothing on disk was changed since: keep the data folder for diagnosis`;
}

import { join } from 'node:path';
import type { Consensus } from '@slipstream/consensus';
import { HOME } from '@slipstream/node-home';
import type { StateCertificate } from '@slipstream/types';
import { NodeError } from '../errors.ts';
import { decodeRanBatches } from '../executor/ran-batches.ts';
import type { OperatorView } from '../operator/operator-view.ts';
import { diskFailure } from '../storage/disk-failure.ts';
import { writeDivergence } from '../storage/divergence-file.ts';
import type { Building } from './building.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import { type AskPeer, createDivergenceReport, type DivergenceReport } from './divergence.ts';
import type { NodeParts } from './parts.ts';
import type { Submission } from './submission.ts';

interface CommitParts extends Pick<NodeParts, 'dissemination'> {
  readonly executor: Building['executor'];
  readonly epochs: Building['epochs'];
  readonly rules: Building['rules'];
  readonly submission: Submission;
  readonly broker: { changed(): void };
  readonly view: OperatorView;
  readonly consensus: Consensus;
  readonly fail: (reason: unknown) => void;
  readonly explain: DivergenceReport;
  /** The node's folder. */
  readonly home: string;
}

export function connectCommits(parts: CommitParts): void {
  const { dissemination, executor, epochs, rules, submission, broker, view, consensus, fail } = parts;
  executor.onSealed((seal) => {
    epochs.sealed(seal.record);
    dissemination.sealed(seal.record);
    consensus.sealed(seal);
    view.sealed(seal);
  });
  executor.onOrdered(({ block }) => submission.ordered(block));
  executor.onCommitted((committed) => {
    const { blockId, block, executedIds, skipped, executeMs, governanceChanged } = committed;
    const batches = decodeRanBatches(committed.batches);
    dissemination.committed(blockId, block, { executedIds, skipped, batches, executeMs });
    consensus.committed(block, dissemination.logFloor());
    consensus.pendingChanged();
    rules.committed();
    broker.changed();
    submission.committed(committed);
    view.committed(block, governanceChanged);
  });
  executor.onDirectoryGrown(() => dissemination.directoryGrew());
  executor.onHalted(({ type, message, certified, byDisk }) => {
    if (byDisk) return fail(diskFailure(message));
    void whyHalted(message, certified, parts).then((why) => {
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
async function whyHalted(
  message: string,
  certified: StateCertificate | undefined,
  { explain, home }: Pick<CommitParts, 'explain' | 'home'>,
): Promise<string> {
  if (certified === undefined) return message;
  const found = await explain(certified).catch((error: unknown) => `what differs could not be found: ${String(error)}`);
  const report = `${message}; ${found}`;
  const next = `check the files (slipstream state verify --home ${home}), then slipstream state rebuild --home ${home}`;
  const why = `${report}. Nothing on disk was changed since. Next: ${next}, which keeps them and lets the next start take the state from the peers`;
  return await writeDivergence(join(home, HOME.data), certified, report).then(
    () => why,
    (error: unknown) => `${why}. This report is only in the log: ${String(error)}`,
  );
}

/** Consensus and sync begin at the newest committed block, with the content of the log. */
import { restoreFrom } from '@slipstream/consensus';
import { consensusOptions } from '@slipstream/node-home';
import { type Block, blockIdOf, genesisBlock } from '@slipstream/types';
import type { Stores } from '../storage/stores.ts';
import { createApplication, createArchive } from './application.ts';
import type { Building } from './building.ts';
import { type ConnectComponents, type ConnectedConsensus, connectConsensus } from './connect-consensus.ts';
import { takeFrame } from './dissemination.ts';
import { failUnlessFull } from './overload.ts';
import type { NodeParts } from './parts.ts';

export type Root = Awaited<ReturnType<typeof committedRoot>>;

export async function openConsensus(building: Building, parts: NodeParts, root: Root): Promise<ConnectedConsensus> {
  const { start, identity, world } = building;
  const { genesisHash, committee, validator } = identity;
  const { stores, refusal, verification, voting } = parts;
  const { wal, records, report } = stores.log;
  const { signer, verifier } = verification;
  const { clock, random, telemetry, recorder } = world;
  return connectConsensus(
    {
      transport: voting,
      clock,
      random,
      verifier,
      wal,
      signing: signer && { signer, signState: stores.signState },
      ...applicationOf(building, parts),
      telemetry,
      recorder,
      ...reactionsOf(building, parts),
      onFatal: world.fail,
    },
    {
      genesisHash,
      committee,
      self: validator?.index,
      options: consensusOptions(start.config, building.executor.record().parameters.times),
      voteChecks: start.config['development.voteChecks'],
      root,
      refuseUpToView: refusal.viewsUpTo,
      nullifyUpToView: refusal.nullifiesUpTo,
      restored: await restoreFrom(records),
      firstRetainedView: report.firstSequence === 1 ? 0 : root.block.view,
    },
  );
}

export async function committedRoot({ ledger }: Pick<Stores, 'ledger'>, { identity }: Pick<Building, 'identity'>) {
  const found = await ledger.block('latest');
  if (!found) {
    const genesis: Block = genesisBlock(identity.genesisHash, identity.genesis.timestampMs);
    return { block: genesis, blockId: blockIdOf(genesis), certificate: undefined };
  }
  const { finalization, stateCertificate } = await ledger.certificates(found.block.height);
  return { block: found.block, blockId: found.blockId, certificate: stateCertificate ?? finalization };
}

function applicationOf(
  { start, executor }: Building,
  { stores, dissemination }: NodeParts,
): Pick<ConnectComponents, 'application' | 'archive'> {
  const snapshots = start.config['sync.snapshotEvery'] === 0 ? undefined : executor.snapshots;
  return {
    application: createApplication(dissemination, executor),
    archive: createArchive(stores.ledger, dissemination, executor.segment, snapshots),
  };
}

function reactionsOf(
  { identity, executor, world }: Building,
  { dissemination }: NodeParts,
): Pick<ConnectComponents, 'onDisseminationFrame' | 'onEvidence' | 'onBanned'> {
  const members = new Set<string>(identity.committee.members.map(({ peerKey }) => peerKey));
  return {
    onDisseminationFrame: (from, name, frame) => {
      takeFrame(dissemination, from, name, frame).catch(failUnlessFull(world, 'frame'));
    },
    onEvidence: (evidence) => {
      executor.putEvidence(evidence).catch(failUnlessFull(world, 'evidence'));
    },
    onBanned: (peer, reason, detail) => {
      // Only members: other peers have any number of keys, and would make the ledger grow.
      if (!members.has(peer)) return;
      const record = { peer, reason, detail, atMs: world.clock.wallMs() };
      executor.putPeerBlock(record).catch(failUnlessFull(world, 'peer-block'));
    },
  };
}

/** Consensus and sync begin at the newest committed block, with the content of the log. */
import { restoreFrom } from '@slipstream/consensus';
import { consensusOptions } from '@slipstream/node-home';
import { memberIn } from '@slipstream/node-home/identity';
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
  const { start, identity, keys, world, epochs, rules } = building;
  const { genesisHash } = identity;
  const { stores, refusal, verification, voting } = parts;
  const { wal, records, report } = stores.log;
  const { verifier } = verification;
  const record = epochs.record();
  const restored = await restoreFrom(records, record.epoch);
  const ended = root.block.next && (await stores.ledger.epochEnd(root.block.epoch));
  const { clock, random, telemetry, recorder } = world;
  return connectConsensus(
    {
      transport: voting,
      clock,
      random,
      verifier,
      wal,
      signing: {
        signState: stores.signState,
        signerFor: ({ members }, self) => verification.signerOf(members[self]?.blsPublicKey),
      },
      ...applicationOf(building, parts),
      telemetry,
      recorder,
      ...reactionsOf(building, parts),
      onFatal: world.fail,
    },
    {
      genesisHash,
      record,
      ended,
      selfIn(committee) {
        const { epoch } = committee;
        return rules.enters(epoch, restored.begun.get(epoch)?.seal.record) ? memberIn(committee, keys) : undefined;
      },
      options: consensusOptions(start.config, record.parameters.times),
      optionsIn: ({ parameters }) => consensusOptions(start.config, parameters.times),
      voteChecks: start.config['development.voteChecks'],
      root,
      refuseUpToView: refusal.viewsUpTo,
      nullifyUpToView: refusal.nullifiesUpTo,
      restored,
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
  { start, artifacts, executor, epochs, rules }: Building,
  { stores, dissemination }: NodeParts,
): Pick<ConnectComponents, 'application' | 'archive'> {
  const snapshots = start.config['sync.snapshotEvery'] === 0 ? undefined : executor.snapshots;
  return {
    application: rules.guard({
      ...createApplication(dissemination, executor),
      moved(end) {
        epochs.ended(end.block);
        executor.moved(end);
      },
    }),
    archive: {
      ...createArchive(stores.ledger, dissemination, executor.segment, snapshots),
      artifact: artifacts.piece,
    },
  };
}

function reactionsOf(
  { epochs, executor, rules, world, links }: Building,
  { dissemination }: NodeParts,
): Pick<ConnectComponents, 'onDisseminationFrame' | 'onEpoch' | 'onEvidence' | 'onBanned'> {
  return {
    onEpoch({ record }) {
      rules.begin(record);
      // After a restart the log may know the record before execution has it again.
      epochs.sealed(record);
      epochs.moved(record.epoch);
      dissemination.sealed(record);
      dissemination.moved();
    },
    onDisseminationFrame: (from, name, frame) => {
      takeFrame(dissemination, from, name, frame).catch(failUnlessFull(world, 'frame'));
    },
    onEvidence: (evidence) => {
      links.reports?.evidence(evidence);
      executor.putEvidence(evidence).catch(failUnlessFull(world, 'evidence'));
    },
    onBanned: (peer, reason, detail) => {
      // Only members: other peers have any number of keys, and would make the ledger grow.
      if (!epochs.isMember(peer)) return;
      const record = { peer, reason, detail, atMs: world.clock.wallMs() };
      executor.putPeerBlock(record).catch(failUnlessFull(world, 'peer-block'));
    },
  };
}

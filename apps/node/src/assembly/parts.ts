import { join } from 'node:path';
import type { Dissemination } from '@slipstream/dissemination';
import type { NetworkTransport } from '@slipstream/network';
import { HOME } from '@slipstream/node-home';
import type { Transport } from '@slipstream/ports';
import { spareSlowFollowers } from '@slipstream/sync';
import type { Refusal } from '@slipstream/wal';
import type { ApiThread } from '../api-thread/api.ts';
import { readEarlierEpochs } from '../epochs/read-earlier.ts';
import { openStores, type Stores } from '../storage/stores.ts';
import type { Building } from './building.ts';
import { corruptVotes } from './corrupt.ts';
import { openDissemination, restoreDissemination } from './dissemination.ts';
import { createFaultInjection } from './faults.ts';
import { openNetwork } from './network.ts';
import { profiledTransport } from './profiled.ts';
import { reportAttested } from './submission.ts';
import { untilAsked } from './until-asked.ts';
import { openVerification, type Verification } from './verification.ts';

interface Network {
  readonly transport: NetworkTransport;
  /** The transport, but slow full nodes are spared. */
  readonly sparing: Transport;
  /** The sparing one for consensus; may corrupt votes on a development network. */
  readonly voting: Transport;
}

export interface NodeParts extends Network {
  readonly stores: Stores;
  readonly refusal: Refusal;
  readonly verification: Verification;
  readonly dissemination: Dissemination;
  /** Call once every signature of this validator is known here. */
  allowSigning(): void;
}

/** Needed by replay protection. */
const REPLAY_WINDOW_MS = 60_000;

export async function openParts(building: Building, audience: Pick<ApiThread, 'attested'>): Promise<NodeParts> {
  const { start, identity, artifacts, quarantine, keys, world, executor, epochs, rules, links, stops } = building;
  const stores = await openStores(join(start.home, HOME.data), identity, world);
  stops.push(() => stores.close());
  await readEarlierEpochs(epochs, stores.ledger);
  const refusal = await stores.signState.mayTrust(stores.log.report);
  const verification = openVerification(keys, start.config, world, epochs, rules);
  stops.push(() => verification.stop());
  const { verifier } = verification;
  links.revokeSigning = verification.revokeSigning;
  const network = openTransports(building);
  const maySign = Promise.withResolvers<void>();
  let isStopped = false;
  stops.push(() => {
    isStopped = true;
  });
  const dissemination = openDissemination(
    {
      identity,
      artifacts,
      quarantine,
      stores,
      executor,
      world,
      verifier,
      distilled: verification.distilled,
      epochs,
      signerIn: verification.signerIn,
      transport: network.sparing,
      acks: start.config['dissemination.acks'],
      remembersCredentials: !start.config['development.forgetVerified'],
    },
    {
      // Above every sequence in use: the log drops chunks, and a reused sequence is equivocation. Gaps are legal.
      firstChunkSequence: stores.signState.chunkMark + 1,
      attested: (chunk) => reportAttested(chunk, audience, world),
      async maySign() {
        await maySign.promise;
        await untilAsked(links, world.clock, () => isStopped);
      },
      connected: () => links.connected,
      evidence: (found) => links.reports?.evidence(found),
    },
  );
  stops.push(() => dissemination.stop());
  links.dissemination = dissemination;
  // Later commits would go to dissemination, consensus and the log, which are stopped after it.
  stops.push(() => executor.stop());
  await restoreDissemination(dissemination, stores, epochs, REPLAY_WINDOW_MS);
  return {
    ...network,
    stores,
    refusal,
    verification,
    dissemination,
    allowSigning: () => maySign.resolve(),
  };
}

function openTransports({ start, identity, world, epochs, stops }: Building): Network {
  const { config } = start;
  const { genesis } = identity;
  const { clock, telemetry, turns } = world;
  const opened = openNetwork(identity, config, world, epochs);
  const transport = turns === undefined ? opened : profiledTransport(opened, turns);
  const sparing = spareSlowFollowers({ transport, clock, telemetry }, epochs.committee());
  epochs.onChanged((change) => {
    if (change === 'moved') sparing.moved(epochs.committee());
  });
  const takesFaults = config['development.faults'] && genesis.development;
  const isCorruptAtStart = config['development.corruptSignatures'];
  const faults = createFaultInjection(takesFaults ? process : undefined, transport, isCorruptAtStart);
  stops.push(() => faults.stop());
  const mayCorrupt = takesFaults || isCorruptAtStart;
  return { transport, sparing, voting: mayCorrupt ? corruptVotes(sparing, faults.isCorrupt) : sparing };
}

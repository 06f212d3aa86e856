import { resolve } from 'node:path';
import { readSecret } from '@slipstream/node-home';
import { loadIdentity } from '@slipstream/node-home/identity';
import { createEvidenceReports } from '../account/evidence-reports.ts';
import { followIssuers } from '../account/follow-issuers.ts';
import { createIssuerSource } from '../account/issuer-source.ts';
import { createNodeAccount, initAccountMetrics, type NodeAccount } from '../account/node-account.ts';
import { createReports, type OwnReports } from '../account/reports.ts';
import { knownVersion } from '../epochs/known-rules.ts';
import { highestMinimums } from '../executor/fee-rules.ts';
import type { OperatorView } from '../operator/operator-view.ts';
import type { Building } from './building.ts';
import type { NodeParts } from './parts.ts';

/** As many as a node serves. */
const EVIDENCE_READ_MAX = 1_000;

/** Throws HomeError `home-incomplete`. */
export async function openReports(
  building: Building,
  { stores, verification, dissemination }: Pick<NodeParts, 'stores' | 'verification' | 'dissemination'>,
  view: Pick<OperatorView, 'status'>,
): Promise<OwnReports> {
  const { start, identity, world, executor, epochs, keys, artifacts } = building;
  const { home, config } = start;
  const { genesis, genesisHash } = identity;
  const { ledger } = stores;
  const { verifier } = verification;
  const place = () => ({ self: epochs.self(), members: epochs.record().members.length });
  const head = () => {
    const { headTimestampMs: timestampMs, height } = view.status();
    return { timestampMs, height };
  };
  initAccountMetrics(world.telemetry);
  const account = await openAccount(building, dissemination);
  const evidence = createEvidenceReports(
    {
      clock: world.clock,
      random: world.random,
      verifier,
      place,
      recordOf: async (epoch) => epochs.of(epoch) ?? (await ledger.record(epoch)),
    },
    genesisHash,
  );
  const reports = createReports(
    {
      clock: world.clock,
      telemetry: world.telemetry,
      read: executor.read,
      evidence,
      held: keys,
      account,
      head,
      isReady() {
        const { ready, syncing } = view.status();
        return ready && !syncing;
      },
      readKeys: () => loadIdentity(home, config),
      signerOf: verification.signerOf,
    },
    { genesisHash, knownVersion: knownVersion(config, genesis), artifacts },
  );
  for (const found of await ledger.evidence(EVIDENCE_READ_MAX)) reports.evidence(found);
  const issuers = followIssuers(
    { ...world, read: executor.read, verifier, account, place, headTimestampMs: () => head().timestampMs },
    config['sessions.follow'].map(createIssuerSource),
  );
  return {
    evidence: reports.evidence,
    read() {
      const { faults, isUnpaid } = issuers.read();
      const { unpaid, ...vitals } = reports.read();
      return { ...vitals, unpaid: isUnpaid ? [...unpaid, 'advanceIssuer'] : unpaid, unfollowed: faults };
    },
    stop() {
      issuers.stop();
      reports.stop();
    },
  };
}

/** Undefined: none is configured. */
async function openAccount(
  { start, identity, world, executor }: Building,
  { submitMany }: NodeParts['dissemination'],
): Promise<NodeAccount | undefined> {
  const file = start.config['account.keyFile'];
  if (file === '') return undefined;
  const secret = await readSecret(resolve(start.home, file), 'secret of an account');
  const prices = () => {
    const record = executor.record();
    const minimumPrices = highestMinimums(record, executor.recordOf(record.epoch + 1));
    return { prices: executor.fees().prices, minimumPrices };
  };
  const components = { ...world, read: executor.read, prices, submit: submitMany };
  return createNodeAccount(components, { genesisHash: identity.genesisHash, secret });
}

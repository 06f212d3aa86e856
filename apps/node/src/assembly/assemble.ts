import { join } from 'node:path';
import { HOME } from '@slipstream/node-home';
import { whyNotSigning } from '@slipstream/schema';
import { watchHandovers } from '@slipstream/sync';
import type { Refusal } from '@slipstream/wal';
import type { ApiThread } from '../api-thread/api.ts';
import { watchArtifacts } from '../artifacts/watch-artifacts.ts';
import { watchCheckpoint } from '../epochs/checkpoint.ts';
import { createOperatorView, type OperatorView } from '../operator/operator-view.ts';
import type { OperatorSetting } from '../operator/parts.ts';
import { SIGNING_REFUSED_REMEDY } from '../telemetry/alert-rules.ts';
import { watchThread } from '../threads/watch.ts';
import { hasFaucet } from './api.ts';
import { createBrokerSide } from './broker.ts';
import type { Building, Links, Stop } from './building.ts';
import { connectCommits, divergenceReportOf } from './commits.ts';
import type { ConnectedConsensus } from './connect-consensus.ts';
import { committedRoot, openConsensus } from './consensus.ts';
import type { NodeWorld } from './node-world.ts';
import { type NodeParts, openParts } from './parts.ts';
import { openReports } from './reports.ts';
import { createSubmission } from './submission.ts';
import { watchBehind } from './watch-behind.ts';

export interface Assembled {
  readonly apiUrl: string | undefined;
  readonly networkAddresses: readonly string[];
}

type Audience = Pick<ApiThread, 'publish' | 'attested' | 'ordered' | 'committed' | 'chain'>;

/** For a node without API. */
const NO_AUDIENCE: Audience = { publish() {}, attested() {}, ordered() {}, committed() {}, chain() {} };

export async function assemble(building: Building): Promise<Assembled> {
  const { identity, world, executor, epochs, rules, api, links, stops } = building;
  stops.push(watchThread(world, 'main', () => [...executor.queues(), ...(api?.queues() ?? [])]));
  const audience = api ?? NO_AUDIENCE;
  const parts = await openParts(building, audience);
  carryPool(parts, links, stops);
  await watchCheckpoint(building.start.config, { epochs, ledger: parts.stores.ledger, fail: world.fail });
  const root = await committedRoot(parts.stores, building);
  if (identity.validator) warnOfRefusal(parts.refusal, root.block.view, world);
  const connected = await openConsensus(building, parts, root);
  links.connected = connected;
  const view = openOperatorView(building, parts, connected, audience, root.block);
  links.view = view;
  const submission = createSubmission(parts.dissemination, audience, world.spans);
  const broker = createBrokerSide({ ...parts, ...world, executor, epochs, audience }, identity.peer);
  stops.push(() => broker.stop());
  const { consensus } = connected;
  const explain = divergenceReportOf(building, parts, connected);
  const { home } = building.start;
  connectCommits({
    ...parts,
    executor,
    epochs,
    rules,
    submission,
    broker,
    view,
    consensus,
    fail: world.fail,
    explain,
    home,
  });
  stops.push(() => view.stop());
  executor.start();
  stops.push(() => connected.stop());
  const watch = watchBehind(building, parts, connected);
  links.watch = watch;
  stops.push(() => watch.stop());
  const handovers = openHandoverWatch(building, parts, connected);
  stops.push(() => handovers.stop());
  const artifacts = openArtifactWatch(building, parts, connected);
  stops.push(() => artifacts?.stop());
  const reports = await openReports(building, parts, view);
  links.reports = reports;
  stops.push(() => reports.stop());
  const link = { ...submission.link, ...view.link, ...broker.link };
  const { applications, accepted } = identity;
  const height = executor.status().committedHeight;
  const opened = await api?.open(link, building.stateReads, { height, applications, accepted });
  broker.changed();
  await startConsensus(building, parts, connected);
  return { apiUrl: opened?.url, networkAddresses: parts.transport.addresses() };
}

/** Clients have their answers: a node whose parts are exchanged keeps what it accepted. */
function carryPool({ dissemination }: NodeParts, links: Links, stops: Stop[]): void {
  dissemination.resubmit(links.pooled ?? []);
  delete links.pooled;
  stops.push(() => {
    links.pooled = dissemination.pooled();
  });
}

/** Resolves when peers can reach this node; the signing-history query still runs. */
async function startConsensus(
  { world, stops }: Building,
  parts: NodeParts,
  connected: ConnectedConsensus,
): Promise<void> {
  let isStopping = false;
  stops.push(() => {
    isStopping = true;
  });
  // A stop ends the query without an answer.
  connected.start().then(() => isStopping || parts.allowSigning(), world.fail);
  // Consensus already started the transport; this call waits until it is up.
  await parts.transport.start();
}

function openHandoverWatch(
  { identity, world, executor }: Building,
  { transport, stores, verification }: NodeParts,
  { consensus, sync }: ConnectedConsensus,
) {
  return watchHandovers(
    {
      ...world,
      transport,
      ask: sync.ask,
      verifier: verification.verifier,
      ledger: stores.ledger,
      certified: (certificate) => executor.certified(certificate),
      onFault: (peer, detail) => consensus.offence(peer, 'bad-sync', detail),
    },
    identity.genesisHash,
  );
}

/** Undefined: the chain has no applications. */
function openArtifactWatch(
  { identity, artifacts, world, executor }: Building,
  { transport }: NodeParts,
  { consensus, sync }: ConnectedConsensus,
) {
  if (identity.applications.length === 0) return undefined;
  return watchArtifacts({
    ...world,
    read: executor.read,
    artifacts,
    transport,
    ask: sync.ask,
    onFault: (peer, detail) => consensus.offence(peer, 'bad-sync', detail),
  });
}

function openOperatorView(
  { start, identity, artifacts, quarantine, world, executor, epochs, links }: Building,
  parts: NodeParts,
  { consensus }: Pick<ConnectedConsensus, 'consensus'>,
  audience: Audience,
  head: OperatorSetting['head'],
): OperatorView {
  const { config, home } = start;
  return createOperatorView(
    {
      ...world,
      ...parts,
      executor,
      epochs,
      consensus,
      isStranded: () => links.watch?.isStranded() ?? false,
      account: () => links.reports?.read(),
      oldTrust: () => links.oldTrust,
      artifacts,
      quarantine,
    },
    {
      identity,
      config,
      refusal: parts.refusal,
      folder: join(home, HOME.data),
      hasFaucet: hasFaucet(identity, config),
      head,
      reportedEpoch: links.view?.reportedEpoch(),
    },
    audience,
  );
}

/** Warns while the chain has not passed the refused views. */
function warnOfRefusal({ viewsUpTo, reason, nullifiesUpTo }: Refusal, view: number, { telemetry }: NodeWorld): void {
  if (reason === undefined || viewsUpTo <= view) return;
  const why = whyNotSigning({ state: 'refused', upToView: viewsUpTo, reason, recovering: nullifiesUpTo >= viewsUpTo });
  telemetry.log('warn', `this validator ${why}`, { upToView: viewsUpTo, reason, remedy: SIGNING_REFUSED_REMEDY });
}

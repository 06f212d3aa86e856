/**
 * Survey: which snapshots peers report, and which to take over (sync.md, "State sync").
 *
 *   ask each peer for its manifest --> follow handovers to its epoch --> verify: digests, files, certificate --> choose
 */
import type { Clock, PeerKey, Telemetry, Verifier } from '@slipstream/ports';
import {
  type Committee,
  type EpochRecord,
  type GenesisHash,
  isBlocking,
  isQuorum,
  SYNC_BLOCKS_MAX,
  subjectMessage,
} from '@slipstream/types';
import { memberKeys } from '../member-keys.ts';
import { aggregateStatement } from './aggregate-statement.ts';
import { answersDue, chooseManifest, heightOf, type Reported, snapshotName, weightOfPeers } from './choose.ts';
import type { DataFolder } from './data-folder.ts';
import { createKnownEpochs, type KnownEpochs } from './known-epochs.ts';
import { type Manifest, manifestCodec, manifestFault } from './manifest.ts';
import { freeBytes } from './room.ts';
import type { Sources } from './sources.ts';

const ASK_MS = 3000;
/** Of a node that waits for others to dial it: longer than their longest backoff (DIAL_POLICY of the network). */
const ASK_DIALLERS_MS = 8000;
const ASK_AGAIN_MS = 50;
/** That are no members: a node whose whole committee has left finds the chain by them. */
const OTHERS_ASKED_MAX = 8;
/** For a next block. */
const STRANDED_ASKED_MAX = 64;

interface SurveyComponents {
  readonly folder: Pick<DataFolder, 'disk' | 'paths' | 'freeBytes'>;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
}

export interface SurveySetting {
  readonly genesisHash: GenesisHash;
  /** Of the newest epoch that this node knows without a gap since genesis; that of genesis at first. */
  readonly record: EpochRecord;
  readonly checkRecord?: (record: EpochRecord) => void;
  readonly self: PeerKey;
  /** StateParameters. */
  readonly history: number;
  /** Heights behind the chain. */
  readonly distance: number;
  /** By the operator. None: others call this node. */
  readonly named: readonly PeerKey[];
}

/** From earlier attempts. */
export interface Avoid {
  /** Names of snapshots. */
  readonly failed: Set<string>;
  /** Not asked again, whereas blocking lasts for one attempt. */
  readonly refutedPeers: Set<PeerKey>;
}

/** `reporters`: all peers that report the snapshot. */
export interface Found {
  readonly manifest: Manifest;
  readonly reporters: readonly PeerKey[];
  /** Up to the manifest's, at least. */
  readonly epochs: KnownEpochs;
}

interface Survey {
  readonly height: number;
  readonly epochs: KnownEpochs;
  readonly refutedPeers: ReadonlySet<PeerKey>;
  readonly asked: Set<PeerKey>;
  readonly answered: Set<PeerKey>;
  readonly unverified: { readonly peer: PeerKey; readonly bytes: Uint8Array }[];
  readonly reported: Reported[];
}

/**
 * Undefined when no snapshot is far above `height` and the blocks above it can be had. Waits ASK_MS (ASK_DIALLERS_MS), or for a blocking weight; with a
 * snapshot to take, for a quorum, in which honest members outnumber liars.
 */
export async function findFarAhead(
  components: SurveyComponents,
  setting: SurveySetting,
  height: number,
  { failed, refutedPeers }: Avoid,
): Promise<Found | undefined> {
  const { clock, folder, sources, telemetry } = components;
  const { distance, named } = setting;
  const epochs = createKnownEpochs(components, setting);
  const survey: Survey = {
    height,
    epochs,
    refutedPeers,
    asked: new Set(),
    answered: new Set(),
    unverified: [],
    reported: [],
  };
  const deadlineAfterNow = () => clock.monotonicMs() + (named.length > 0 ? ASK_MS : ASK_DIALLERS_MS);
  const deadlineMs = deadlineAfterNow();
  const far = () => survey.reported.filter(({ manifest }) => heightOf(manifest) > height + distance);
  await waitFor(components, setting, survey, { isEnough: isBlocking, deadlineMs });
  await verifyAnswers(components, setting, survey);
  const isGone = far().length === 0 && (await isNextPruned(sources, reportersOf(survey.reported), height));
  if (far().length === 0 && !isGone) return undefined;
  // Members of a later epoch were not known to be such, and only some of them were asked.
  const isSameCommittee = epochs.newest().epoch === setting.record.epoch;
  const quorum = { isEnough: isQuorum, deadlineMs: isSameCommittee ? deadlineMs : deadlineAfterNow() };
  await waitFor(components, setting, survey, quorum);
  await verifyAnswers(components, setting, survey);
  const mayTakeBytes = await freeBytes(folder);
  const manifest = chooseManifest(isGone ? survey.reported : far(), epochs.newest(), failed, mayTakeBytes);
  if (manifest === undefined) {
    const message =
      'state sync: no snapshot fits into half of the free space: make room, or this node goes block by block';
    telemetry.log('warn', message, { mayTakeBytes });
    return undefined;
  }
  const name = snapshotName(manifest.snapshot);
  const same = survey.reported.filter((each) => snapshotName(each.manifest.snapshot) === name);
  return { manifest, reporters: reportersOf(same), epochs };
}

function reportersOf(reported: readonly Reported[]): readonly PeerKey[] {
  return [...new Set(reported.map(({ peer }) => peer))];
}

interface Wait {
  readonly isEnough: (weight: number, committee: Committee) => boolean;
  readonly deadlineMs: number;
}

/** Until enough weight of the newest known committee or all that are due have answered, or the deadline. */
async function waitFor(
  { sources, clock }: SurveyComponents,
  { self, named }: SurveySetting,
  survey: Survey,
  { isEnough, deadlineMs }: Wait,
): Promise<void> {
  const { asked, answered, refutedPeers, epochs } = survey;
  const committee = epochs.newest();
  const isMember = memberKeys(committee);
  const due = answersDue(
    named,
    [...isMember].filter((peer) => peer !== self),
  );
  const othersAsked = () => [...asked].filter((peer) => !isMember.has(peer)).length;
  while (
    clock.monotonicMs() < deadlineMs &&
    !isEnough(weightOfPeers(answered, committee), committee) &&
    !due.every((peer) => answered.has(peer))
  ) {
    for (const peer of sources.available().filter((each) => !asked.has(each) && !refutedPeers.has(each))) {
      if (!isMember.has(peer) && othersAsked() >= OTHERS_ASKED_MAX) continue;
      asked.add(peer);
      void ask(sources, peer, survey);
    }
    await new Promise<void>((resolve) => void clock.after(ASK_AGAIN_MS, resolve));
  }
}

async function ask(sources: Sources, peer: PeerKey, { answered, unverified }: Survey): Promise<void> {
  const response = await sources.ask(peer, { query: 'snapshot' });
  if (response === undefined) return;
  answered.add(peer);
  const bytes = response.chunks[0];
  if (bytes) unverified.push({ peer, bytes });
}

/** Adds those that are ahead. The certificates of all are one batch. */
async function verifyAnswers(components: SurveyComponents, setting: SurveySetting, survey: Survey): Promise<void> {
  const { sources, verifier } = components;
  const sound: SoundManifest[] = [];
  for (const answer of survey.unverified.splice(0)) {
    const found = await soundManifest(components, setting, survey, answer);
    if (found) sound.push(found);
  }
  const statements = sound.map(({ manifest: { certificate }, committee }) =>
    aggregateStatement(certificate, subjectMessage(setting.genesisHash, certificate.subject), committee),
  );
  const answers = sound.length === 0 ? [] : await verifier.checkBatch(statements, 'consensus');
  for (const [at, { peer, manifest }] of sound.entries()) {
    if (!answers[at]) sources.block(peer, 'served a manifest whose certificate does not hold');
    else if (heightOf(manifest) > survey.height) survey.reported.push({ peer, manifest });
  }
}

interface SoundManifest extends Reported {
  /** Of its certificate, which is not verified yet. */
  readonly committee: Committee;
}

/** Undefined: invalid, and its server is blocked; or of an epoch that no handovers lead to. */
async function soundManifest(
  { sources, telemetry }: SurveyComponents,
  { genesisHash, history }: SurveySetting,
  { epochs }: Survey,
  { peer, bytes }: Survey['unverified'][number],
): Promise<SoundManifest | undefined> {
  const decoded = manifestCodec.decode(bytes);
  if (!decoded.ok) {
    sources.block(peer, `served a manifest that shows nothing: ${decoded.error.message}`);
    return undefined;
  }
  const { epoch } = decoded.value.certificate.subject;
  await epochs.reach(peer, epoch);
  const committee = epochs.committeeOf(epoch);
  if (committee === undefined) {
    telemetry.log('info', `state sync: peer ${peer} has a state of epoch ${epoch}, and no handovers to it`, { peer });
    return undefined;
  }
  const fault = manifestFault(decoded.value, { genesisHash, committee, history });
  if (fault === undefined) return { peer, manifest: decoded.value, committee };
  sources.block(peer, `served a manifest that shows nothing: ${fault}`);
  return undefined;
}

/** No peer of `further` has the block above `height`, so syncing by blocks is impossible. False when no peer answers. */
export async function isNextPruned(
  sources: Pick<Sources, 'ask'>,
  further: readonly PeerKey[],
  height: number,
): Promise<boolean> {
  const next = { query: 'receipts', from: height + 1, to: height + 1 } as const;
  const answers = await Promise.all(further.map((peer) => sources.ask(peer, next)));
  const known = answers.filter((answer) => answer !== undefined);
  return known.length > 0 && known.every(({ blocks }) => blocks.length === 0);
}

/**
 * Whether no available peer has the block above `height`, which they have passed. False when none answers. Ranges are asked for, since a peer
 * without snapshots serves no receipts.
 */
export async function isStranded(sources: Pick<Sources, 'ask' | 'available'>, height: number): Promise<boolean> {
  const asked = sources.available().slice(0, STRANDED_ASKED_MAX);
  const next = { query: 'finalized', from: height + 1, to: height + SYNC_BLOCKS_MAX } as const;
  const answers = await Promise.all(asked.map((peer) => sources.ask(peer, next)));
  const known = answers.filter((answer) => answer !== undefined);
  return known.length > 0 && known.every(({ blocks, more }) => blocks.length === 0 && !more);
}

/**
 * Survey: which snapshots the validators report, and which to take over (sync.md, "State sync").
 *
 *   ask each validator for its manifest --> verify: digests, files, certificate --> choose
 */
import type { Clock, PeerKey, Statement, Telemetry, Verifier } from '@slipstream/ports';
import {
  type Committee,
  type GenesisHash,
  isBlocking,
  isQuorum,
  SYNC_BLOCKS_MAX,
  subjectMessage,
  weightOf,
} from '@slipstream/types';
import { answersDue, chooseManifest, heightOf, type Reported, snapshotName } from './choose.ts';
import type { DataFolder } from './data-folder.ts';
import { type Manifest, manifestCodec, manifestFault } from './manifest.ts';
import { freeBytes } from './room.ts';
import type { Sources } from './sources.ts';

const ASK_MS = 3000;
/** Of a node that waits for others to dial it: longer than their longest backoff (DIAL_POLICY of the network). */
const ASK_DIALLERS_MS = 8000;
const ASK_AGAIN_MS = 50;

export interface SurveyComponents {
  readonly folder: Pick<DataFolder, 'disk' | 'paths' | 'freeBytes'>;
  readonly sources: Sources;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly verifier: Pick<Verifier, 'checkBatch'>;
}

export interface SurveySetting {
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  readonly self: PeerKey;
  /** StateParameters. */
  readonly history: number;
  /** Heights behind the chain. */
  readonly distance: number;
  /** 0: others call this node. */
  readonly peersNamed: number;
}

/** From earlier attempts. */
export interface Avoid {
  /** Names of snapshots. */
  readonly failed: Set<string>;
  /** Not asked again, whereas blocking lasts for one attempt. */
  readonly refutedPeers: Set<PeerKey>;
}

/** `reporters`: all validators that report the snapshot. */
export interface Found {
  readonly manifest: Manifest;
  readonly reporters: readonly PeerKey[];
}

interface Survey {
  readonly height: number;
  readonly deadlineMs: number;
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
  const { committee, distance, peersNamed } = setting;
  const survey: Survey = {
    height,
    deadlineMs: clock.monotonicMs() + (peersNamed > 0 ? ASK_MS : ASK_DIALLERS_MS),
    refutedPeers,
    asked: new Set(),
    answered: new Set(),
    unverified: [],
    reported: [],
  };
  const far = () => survey.reported.filter(({ manifest }) => heightOf(manifest) > height + distance);
  await waitFor(components, setting, survey, (weight) => isBlocking(weight, committee));
  await verifyAnswers(components, setting, survey);
  const isGone = far().length === 0 && (await isNextPruned(sources, reportersOf(survey.reported, committee), height));
  if (far().length === 0 && !isGone) return undefined;
  await waitFor(components, setting, survey, (weight) => isQuorum(weight, committee));
  await verifyAnswers(components, setting, survey);
  const mayTakeBytes = await freeBytes(folder);
  const manifest = chooseManifest(isGone ? survey.reported : far(), committee, failed, mayTakeBytes);
  if (manifest === undefined) {
    const message =
      'state sync: no snapshot fits into half of the free space: make room, or this node goes block by block';
    telemetry.log('warn', message, { mayTakeBytes });
    return undefined;
  }
  const name = snapshotName(manifest.snapshot);
  const same = survey.reported.filter((each) => snapshotName(each.manifest.snapshot) === name);
  return { manifest, reporters: reportersOf(same, committee) };
}

function reportersOf(reported: readonly Reported[], committee: Committee): readonly PeerKey[] {
  const members = new Set(reported.map(({ member }) => member));
  return committee.members.filter(({ index }) => members.has(index)).map(({ peerKey }) => peerKey);
}

/** Until enough weight or all have answered, or the deadline. */
async function waitFor(
  { sources, clock }: SurveyComponents,
  { committee, self, peersNamed }: SurveySetting,
  survey: Survey,
  isEnough: (weight: number) => boolean,
): Promise<void> {
  const { deadlineMs, asked, answered, refutedPeers } = survey;
  const others = committee.members.filter(({ peerKey }) => peerKey !== self);
  const due = answersDue(peersNamed, others.length);
  const weight = (): number => {
    const members = committee.members.filter(({ peerKey }) => answered.has(peerKey));
    return weightOf(
      members.map(({ index }) => index),
      committee,
    );
  };
  while (clock.monotonicMs() < deadlineMs && !isEnough(weight()) && answered.size < due) {
    for (const peer of sources.available().filter((each) => !asked.has(each) && !refutedPeers.has(each))) {
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
async function verifyAnswers(
  { sources, verifier }: SurveyComponents,
  setting: SurveySetting,
  survey: Survey,
): Promise<void> {
  const sound = survey.unverified.splice(0).flatMap((answer) => soundManifest(sources, setting, answer));
  const statements = sound.map(({ manifest }) => statementOf(setting, manifest));
  const answers = sound.length === 0 ? [] : await verifier.checkBatch(statements, 'consensus');
  for (const [at, { peer, manifest }] of sound.entries()) {
    if (!answers[at]) {
      sources.block(peer, 'served a manifest whose certificate does not hold');
      continue;
    }
    const member = setting.committee.members.find(({ peerKey }) => peerKey === peer);
    if (member && heightOf(manifest) > survey.height) survey.reported.push({ member: member.index, manifest });
  }
}

interface SoundManifest {
  readonly peer: PeerKey;
  /** Its certificate is not verified yet. */
  readonly manifest: Manifest;
}

/** None: invalid, and its server is blocked. */
function soundManifest(
  sources: Sources,
  { genesisHash, committee, history }: SurveySetting,
  { peer, bytes }: Survey['unverified'][number],
): readonly SoundManifest[] {
  const decoded = manifestCodec.decode(bytes);
  const fault = decoded.ok ? manifestFault(decoded.value, { genesisHash, committee, history }) : decoded.error.message;
  if (decoded.ok && fault === undefined) return [{ peer, manifest: decoded.value }];
  sources.block(peer, `served a manifest that shows nothing: ${fault}`);
  return [];
}

function statementOf({ genesisHash }: SurveySetting, { certificate }: Manifest): Statement {
  const { subject, signers, aggregate } = certificate;
  const { epoch } = subject;
  return { kind: 'certificate', epoch, message: subjectMessage(genesisHash, subject), signers, aggregate };
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
  const next = { query: 'finalized', from: height + 1, to: height + SYNC_BLOCKS_MAX } as const;
  const answers = await Promise.all(sources.available().map((peer) => sources.ask(peer, next)));
  const known = answers.filter((answer) => answer !== undefined);
  return known.length > 0 && known.every(({ blocks, more }) => blocks.length === 0 && !more);
}

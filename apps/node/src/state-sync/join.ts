/**
 * Joining: a node that is far behind takes over the state of a certified height, and only replays what came since (sync.md, "State sync").
 *
 *   how old is what is here? --young--> nothing to do
 *      \--old--> ask validators for manifests --none far ahead, and the next block is kept--> nothing to do
 *                    \--verify: digests, files, one certificate--> files and last minute of blocks --> install
 *
 * It runs before the node's own parts: they open what it left, as after any restart.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInlineVerifier } from '@slipstream/crypto/native';
import { openLedger } from '@slipstream/ledger';
import type { Clock, Disk, PeerKey, Random, Telemetry } from '@slipstream/ports';
import {
  isBlocking,
  isQuorum,
  type StateDigest,
  stateDigestOf,
  subjectMessage,
  TRANSACTION_LIFE_MS_MAX,
  weightOf,
} from '@slipstream/types';
import type { Identity } from '../assembly/identity.ts';
import { openNetwork } from '../assembly/network.ts';
import type { NodeWorld } from '../assembly/node-world.ts';
import { openExclusively } from '../assembly/stores.ts';
import type { Config } from '../config/keys.ts';
import { NodeError } from '../errors.ts';
import { DATA } from '../folder/layout.ts';
import { createDisk } from '../world/index.ts';
import { createAttempts } from './attempts.ts';
import { answersDue, chooseManifest, heightOf, snapshotName, type Told } from './choose.ts';
import { fetchRecentBlocks } from './fetch-blocks.ts';
import { fetchFiles } from './fetch-files.ts';
import { finishInstall, install, STAGED, stage } from './install.ts';
import { type Manifest, manifestCodec, manifestFault, ownPreimage } from './manifest.ts';
import { createProgress } from './progress.ts';
import { clearStaged, roomBytes, stagedBytes } from './room.ts';
import { openSources, type Sources } from './sources.ts';

export interface JoinSetting {
  /** The data folder, absolute. */
  readonly folder: string;
  readonly identity: Identity;
  readonly config: Config;
  readonly world: NodeWorld;
}

/** What of it taking over a snapshot needs. */
export interface TakeOverSetting {
  readonly folder: string;
  readonly identity: Pick<Identity, 'genesis' | 'genesisHash'>;
  readonly world: { readonly clock: Clock; readonly random: Random; readonly telemetry: Telemetry };
}

/** No chain makes blocks faster than this for long: what is younger than so many of them cannot be far behind. */
const BLOCK_MS_MIN = 50;
/** How long validators are waited for. */
const ASK_MS = 3000;
const ASK_AGAIN_MS = 50;

/**
 * Settles when what is on disk is near the chain, or when nobody can help: then the node syncs block by block. Whether the ledger's
 * files were looked at, or written here: nobody has to look again.
 */
export async function joinIfBehind(setting: JoinSetting): Promise<{ readonly ledgerIsChecked: boolean }> {
  const { folder, config } = setting;
  const disk = createDisk({ root: folder });
  await disk.makeDirectory('');
  await finishInstall(folder, disk);
  if (config['sync.distance'] === 0 || config['retention.archive']) return { ledgerIsChecked: false };
  await joinFrom(setting, disk, await ownTip(setting));
  return { ledgerIsChecked: true };
}

async function joinFrom(setting: JoinSetting, disk: Disk, own: OwnTip): Promise<void> {
  const { identity, config, world } = setting;
  const { telemetry, clock } = world;
  const distance = config['sync.distance'];
  if (clock.wallMs() - own.timestampMs < Math.min(distance * BLOCK_MS_MIN, TRANSACTION_LIFE_MS_MAX)) return;
  const avoid: Avoid = { failed: new Set(), liars: new Set() };
  const attempts = createAttempts(await stagedBytes(disk));
  for (let attempt = 1, goesOn = true; goesOn; attempt++) {
    // Of its own: who was blocked for bytes that did not fit may have been right, and the manifest wrong.
    const sources = await openSources(openNetwork(identity, config, world), identity.committee, world);
    try {
      const found = await manifestFarAhead(setting, sources, own.height, avoid);
      if (found === undefined) return;
      const { manifest, tellers } = found;
      telemetry.log('info', `state sync: taking over the state of height ${heightOf(manifest)}`, {
        own: own.height,
        attempt,
      });
      const outcome = await takeOver(setting, sources, manifest);
      if (outcome === 'done') return;
      avoid.failed.add(snapshotName(manifest.snapshot));
      for (const peer of outcome === 'refuted' ? tellers : []) {
        avoid.liars.add(peer);
        sources.block(peer, 'told of a snapshot whose files do not follow from each other');
      }
      goesOn = attempts.failed(await stagedBytes(disk));
    } finally {
      await sources.stop();
    }
  }
  telemetry.log(
    'warn',
    'state sync: no attempt succeeded: this node catches up block by block, which takes longer; a restart tries again',
    {},
  );
}

type OwnTip = Awaited<ReturnType<typeof ownTip>>;

/** Looks at the ledger's files. Throws DiskError `damaged`. */
async function ownTip({ folder, identity, world }: JoinSetting) {
  const { genesis, genesisHash } = identity;
  const none = { height: 0, timestampMs: genesis.timestampMs };
  if (!existsSync(join(folder, DATA.ledger))) return none;
  const keyValue = await openExclusively(folder, { telemetry: world.telemetry });
  const ledger = await openLedger({ keyValue, telemetry: world.telemetry }, { genesisHash });
  try {
    return (await ledger.tip()) ?? none;
  } finally {
    await ledger.close();
  }
}

/** What earlier attempts taught the next ones. */
interface Avoid {
  /** Names of snapshots. */
  readonly failed: Set<string>;
  /** Proven: they are not asked again, while blocking lasts for an attempt. */
  readonly liars: Set<PeerKey>;
}

/**
 * The one to take over, with all who told of its snapshot; undefined when none is far above `height`, and the blocks above it can be had.
 * Waits for a blocking weight of answers, or ASK_MS; and once there is one to take, for a quorum: among so many, those who tell the truth
 * outnumber those who lie.
 */
async function manifestFarAhead(
  setting: JoinSetting,
  sources: Sources,
  height: number,
  { failed, liars }: Avoid,
): Promise<{ readonly manifest: Manifest; readonly tellers: readonly PeerKey[] } | undefined> {
  const { identity, config, world } = setting;
  const { committee } = identity;
  const deadlineMs = world.clock.monotonicMs() + ASK_MS;
  const asked = new Set<PeerKey>();
  const answered = new Set<PeerKey>();
  const found: { readonly peer: PeerKey; readonly bytes: Uint8Array }[] = [];
  const told: Told[] = [];
  const weight = (): number =>
    weightOf(
      committee.members.filter(({ peerKey }) => answered.has(peerKey)).map(({ index }) => index),
      committee,
    );

  async function askOne(peer: PeerKey): Promise<void> {
    const response = await sources.ask(peer, { query: 'snapshot' });
    if (response === undefined) return;
    answered.add(peer);
    const bytes = response.chunks[0];
    if (bytes) found.push({ peer, bytes });
  }

  /** What was told since the last time, as far as it holds and is far ahead. */
  async function judge(): Promise<void> {
    for (const { peer, bytes } of found.splice(0)) {
      const manifest = await verified(setting, sources, peer, bytes);
      const member = committee.members.find(({ peerKey }) => peerKey === peer);
      if (manifest && member && heightOf(manifest) > height) told.push({ member: member.index, manifest });
    }
  }

  const others = committee.members.filter(({ peerKey }) => peerKey !== identity.peer);
  const due = answersDue(config['network.peers'].length, others.length);

  async function wait(isEnough: () => boolean): Promise<void> {
    while (world.clock.monotonicMs() < deadlineMs && !isEnough() && answered.size < due) {
      for (const peer of sources.available().filter((each) => !asked.has(each) && !liars.has(each))) {
        asked.add(peer);
        void askOne(peer);
      }
      await new Promise<void>((resolve) => void world.clock.after(ASK_AGAIN_MS, resolve));
    }
  }

  const far = () => told.filter(({ manifest }) => heightOf(manifest) > height + config['sync.distance']);
  await wait(() => isBlocking(weight(), committee));
  await judge();
  const tellersOf = (some: readonly Told[]) =>
    committee.members.filter(({ index }) => some.some(({ member }) => member === index)).map(({ peerKey }) => peerKey);
  const isGone = far().length === 0 && (await isNextPruned(sources, tellersOf(told), height));
  if (far().length === 0 && !isGone) return undefined;
  await wait(() => isQuorum(weight(), committee));
  await judge();
  const mayTakeBytes = await roomBytes(setting.folder, createDisk({ root: setting.folder }));
  const chosen = chooseManifest(isGone ? told : far(), committee, failed, mayTakeBytes);
  if (chosen === undefined) {
    const message =
      'state sync: no snapshot fits into half of the free space: make room, or this node goes block by block';
    world.telemetry.log('warn', message, { mayTakeBytes });
    return undefined;
  }
  const name = snapshotName(chosen.snapshot);
  return {
    manifest: chosen,
    tellers: tellersOf(told.filter(({ manifest }) => snapshotName(manifest.snapshot) === name)),
  };
}

/**
 * Whether nobody has the block above this height any more, of peers that are further: then no distance is near. One that has it is
 * enough to go block by block; false when nobody answers.
 */
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

async function verified(
  { identity }: JoinSetting,
  sources: Sources,
  peer: PeerKey,
  bytes: Uint8Array,
): Promise<Manifest | undefined> {
  const { genesis, genesisHash, committee } = identity;
  const decoded = manifestCodec.decode(bytes);
  const fault = decoded.ok
    ? manifestFault(decoded.value, { genesisHash, committee, history: genesis.state.history })
    : decoded.error.message;
  if (!decoded.ok || fault !== undefined) {
    sources.block(peer, `served a manifest that shows nothing: ${fault}`);
    return undefined;
  }
  const { subject, signers, aggregate } = decoded.value.certificate;
  const { verifier } = createInlineVerifier({
    committeeKeys: committee.members.map(({ blsPublicKey }) => blsPublicKey),
  });
  const request = { message: subjectMessage(genesisHash, subject), signers, aggregate };
  if (await verifier.checkCertificate(request, 'consensus')) return decoded.value;
  sources.block(peer, 'served a manifest whose certificate does not hold');
  return undefined;
}

/** `failed`: it could not be had whole. `refuted`: it was, and is no state of this chain. Throws NodeError `disk-failed`. */
export async function takeOver(
  { folder, identity, world }: TakeOverSetting,
  sources: Sources,
  manifest: Manifest,
): Promise<'done' | 'failed' | 'refuted'> {
  const { clock, random, telemetry } = world;
  const { genesis, genesisHash } = identity;
  const { history } = genesis.state;
  const own = ownPreimage(manifest);
  if (own === undefined) return 'failed';
  const stateDigest: StateDigest = stateDigestOf(genesisHash, own);
  const { snapshot } = manifest;
  const disk = createDisk({ root: folder });
  await disk.makeDirectory(STAGED.state);
  const progress = createProgress({ clock, telemetry }, snapshot);
  let fetched = 0;
  try {
    const setting = { directory: STAGED.state, snapshot, stateDigest, genesisHash, history };
    await clearStaged(disk, snapshot);
    // One after the other: what went on behind a failed attempt would write into the files of the next one.
    const blocks = await fetchRecentBlocks({ sources, clock }, manifest, history);
    await fetchFiles({ disk, clock, sources, onBytes: progress.add }, setting);
    await stage({ folder, disk, telemetry, random, genesisHash, parameters: genesis.state }, manifest, blocks);
    fetched = blocks.length;
  } catch (error) {
    telemetry.log('warn', 'state sync: an attempt failed; the next one keeps the files that were fetched whole', {
      error: String(error),
    });
    return error instanceof NodeError && error.code === 'sync-refuted' ? 'refuted' : 'failed';
  } finally {
    progress.stop();
  }
  await install({ folder, disk });
  progress.done(own.height, fetched);
  return 'done';
}

/**
 * Joining: a node that is far behind takes over the state of a certified height and replays only later blocks (sync.md, "State sync").
 *
 *   survey the peers --none far ahead, and the next block can be had--> near
 *          \--files and last minute of blocks, each certified--> staged --> installed by the caller, when no part has the old state open
 */
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { createAttempts } from './attempts.ts';
import { heightOf, snapshotName } from './choose.ts';
import { stagedBytes } from './room.ts';
import { onlyOf, type Sources } from './sources.ts';
import { type Avoid, findFarAhead, type SurveySetting } from './survey.ts';
import { type StagedState, type TakeOverComponents, type TakeOverSetting, takeOver } from './take-over.ts';

interface JoinComponents extends TakeOverComponents {
  /** New ones for each attempt: a peer blocked for wrong bytes may be right, and the manifest wrong. */
  readonly openSources: () => Promise<Sources>;
  /** Ends the attempts. */
  readonly signal?: AbortSignal;
}

interface JoinSetting extends TakeOverSetting, Omit<SurveySetting, 'history'> {}

export interface OwnTip {
  readonly height: number;
  readonly timestampMs: number;
}

/** Shortest sustained block interval: a tip younger than `distance` of them is near. */
const BLOCK_MS_MIN = 50;

/** Whether a node that starts may be `distance` heights behind. */
export function mayBeFar(own: OwnTip, nowMs: number, distance: number): boolean {
  return nowMs - own.timestampMs >= Math.min(distance * BLOCK_MS_MIN, TRANSACTION_LIFE_MS_MAX);
}

/** `near`: the node goes by blocks. `failed`: no attempt succeeded. */
export type Joining = StagedState | 'near' | 'failed';

export async function stageIfFar(
  components: JoinComponents,
  setting: JoinSetting,
  own: Pick<OwnTip, 'height'>,
): Promise<Joining> {
  const { folder, telemetry, openSources, signal } = components;
  const avoid: Avoid = { failed: new Set(), refutedPeers: new Set() };
  const attempts = createAttempts(await stagedBytes(folder));
  for (let attempt = 1, isRetrying = true; isRetrying && signal?.aborted !== true; attempt++) {
    const sources = await openSources();
    try {
      const outcome = await attemptFrom(components, setting, sources, { own, attempt, avoid });
      if (outcome !== 'failed') return outcome;
      isRetrying = attempts.failed(await stagedBytes(folder));
    } finally {
      await sources.stop();
    }
  }
  if (signal?.aborted === true) return 'failed';
  telemetry.log(
    'warn',
    'state sync: no attempt succeeded: this node catches up block by block, which takes longer, and tries again later',
    {},
  );
  return 'failed';
}

interface Attempt {
  readonly own: Pick<OwnTip, 'height'>;
  readonly attempt: number;
  readonly avoid: Avoid;
}

async function attemptFrom(
  components: JoinComponents,
  setting: JoinSetting,
  sources: Sources,
  { own, attempt, avoid }: Attempt,
): Promise<Joining> {
  const { history } = setting.parameters;
  const found = await findFarAhead({ ...components, sources }, { ...setting, history }, own.height, avoid);
  if (found === undefined) return 'near';
  const { manifest, reporters, epochs } = found;
  components.telemetry.log('info', `state sync: taking over the state of height ${heightOf(manifest)}`, {
    own: own.height,
    attempt,
  });
  const members = epochs.newest().members.map(({ peerKey }) => peerKey);
  const serving = onlyOf(sources, new Set([...reporters, ...members]));
  const outcome = await takeOver(components, setting, serving, found);
  if (outcome !== 'failed' && outcome !== 'refuted') return outcome;
  avoid.failed.add(snapshotName(manifest.snapshot));
  for (const peer of outcome === 'refuted' ? reporters : []) {
    avoid.refutedPeers.add(peer);
    sources.block(peer, 'reported a snapshot whose files do not follow from each other');
  }
  return 'failed';
}

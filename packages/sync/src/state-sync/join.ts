/**
 * Joining: a node that is far behind takes over the state of a certified height and replays only later blocks (sync.md, "State sync").
 *
 *   age of the own tip --young--> nothing to do
 *      \--old--> survey the validators --none far ahead, and the next block can be had--> nothing to do
 *                    \--files and last minute of blocks, each certified--> install
 *
 * The node's other parts start later and open the result as after any restart.
 */
import type { Transport } from '@slipstream/ports';
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { createAttempts } from './attempts.ts';
import { heightOf, snapshotName } from './choose.ts';
import { stagedBytes } from './room.ts';
import { openSources, type Sources } from './sources.ts';
import { type Avoid, findFarAhead, type SurveyComponents, type SurveySetting } from './survey.ts';
import { type TakeOverComponents, type TakeOverSetting, takeOver } from './take-over.ts';

interface JoinComponents extends TakeOverComponents, Pick<SurveyComponents, 'verifier'> {
  /** Not started; one for each attempt. */
  readonly openTransport: () => Transport;
}

interface JoinSetting extends TakeOverSetting, Omit<SurveySetting, 'history'> {}

export interface OwnTip {
  readonly height: number;
  readonly timestampMs: number;
}

/** Shortest sustained block interval: a tip younger than `distance` of them is near. */
const BLOCK_MS_MIN = 50;

/** Resolves when the state is near the chain, or when no peer can help: then the node syncs by blocks. Throws SyncError `swap-failed`. */
export async function joinIfBehind(components: JoinComponents, setting: JoinSetting, own: OwnTip): Promise<void> {
  const { folder, clock, telemetry, openTransport } = components;
  const { committee, distance } = setting;
  if (clock.wallMs() - own.timestampMs < Math.min(distance * BLOCK_MS_MIN, TRANSACTION_LIFE_MS_MAX)) return;
  const avoid: Avoid = { failed: new Set(), refutedPeers: new Set() };
  const attempts = createAttempts(await stagedBytes(folder));
  for (let attempt = 1, isRetrying = true; isRetrying; attempt++) {
    // Own blocked peers each: a peer blocked for wrong bytes may be right, and the manifest wrong.
    const sources = await openSources(openTransport(), committee, components);
    try {
      const outcome = await attemptFrom(components, setting, sources, { own, attempt, avoid });
      if (outcome === 'settled') return;
      isRetrying = attempts.failed(await stagedBytes(folder));
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

interface Attempt {
  readonly own: OwnTip;
  readonly attempt: number;
  readonly avoid: Avoid;
}

/** `settled`: taken over, or nothing to take. */
async function attemptFrom(
  components: JoinComponents,
  setting: JoinSetting,
  sources: Sources,
  { own, attempt, avoid }: Attempt,
): Promise<'settled' | 'failed'> {
  const { history } = setting.parameters;
  const found = await findFarAhead({ ...components, sources }, { ...setting, history }, own.height, avoid);
  if (found === undefined) return 'settled';
  const { manifest, reporters } = found;
  components.telemetry.log('info', `state sync: taking over the state of height ${heightOf(manifest)}`, {
    own: own.height,
    attempt,
  });
  const outcome = await takeOver(components, setting, sources, manifest);
  if (outcome === 'done') return 'settled';
  avoid.failed.add(snapshotName(manifest.snapshot));
  for (const peer of outcome === 'refuted' ? reporters : []) {
    avoid.refutedPeers.add(peer);
    sources.block(peer, 'reported a snapshot whose files do not follow from each other');
  }
  return 'failed';
}

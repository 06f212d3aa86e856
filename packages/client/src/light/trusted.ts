/** What a light client is given, checked before it opens anything. */
import { to0x } from '@slipstream/primitives';
import { committeesOf, committeesOfPin, type EpochCommittees } from '../epochs/committees.ts';
import { ClientError } from '../errors.ts';
import { checkAddress, NODES_MAX } from '../nodes.ts';
import { EPOCHS_MAX, type LightClientOptions } from './options.ts';

/** Throws ClientError `bad-argument`. */
export function checkUrls(urls: readonly string[]): void {
  if (urls.length < 1 || urls.length > NODES_MAX || new Set(urls).size !== urls.length) {
    throw new ClientError('bad-argument', `a light client is given 1 to ${NODES_MAX} different nodes`);
  }
  for (const url of urls) checkAddress(url);
}

/** Throws ClientError `bad-argument` or `wrong-chain`. */
export function committeesFrom({ genesis, checkpoint }: LightClientOptions): EpochCommittees {
  const options = { epochsMax: EPOCHS_MAX };
  const ofGenesis = committeesOf(genesis, options);
  if (!ofGenesis.ok) throw new ClientError('bad-argument', `no genesis file: ${ofGenesis.error}`);
  if (checkpoint === undefined) return ofGenesis.value;
  const genesisHash = to0x(ofGenesis.value.genesisHash);
  if (checkpoint.genesisHash !== genesisHash) {
    throw new ClientError(
      'wrong-chain',
      `the checkpoint is of the chain ${checkpoint.genesisHash}, not of ${genesisHash}`,
    );
  }
  const { height, epoch } = checkpoint;
  for (const number of [epoch, height ?? 0]) {
    if (Number.isSafeInteger(number) && number >= 0) continue;
    throw new ClientError('bad-argument', `no checkpoint: ${String(number)} is no epoch or height`);
  }
  const pinned = pinnedBy(checkpoint, options);
  if (!pinned.ok) throw new ClientError('bad-argument', `no checkpoint: ${pinned.error}`);
  return pinned.value;
}

/** It was stored: its form is not certain. */
function pinnedBy(checkpoint: NonNullable<LightClientOptions['checkpoint']>, options: { readonly epochsMax: number }) {
  try {
    return committeesOfPin(checkpoint, checkpoint, options);
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) } as const;
  }
}

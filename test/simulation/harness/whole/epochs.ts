/** Epochs that a whole node knows, and the keys of its validator, which it has whether it is a member or not. */
import { memberIn } from '@slipstream/node-home/identity';
import type { Signer } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import { epoch as asEpoch, type Committee, type EpochRecord, epochKeysOf } from '@slipstream/types';
import { createNodeEpochs, type NodeEpochs } from '../../../../apps/node/src/epochs/node-epochs.ts';
import { readEarlierEpochs } from '../../../../apps/node/src/epochs/read-earlier.ts';
import { followCommittees } from '../../../../apps/node/src/epochs/verified-committees.ts';
import { knownEpochs } from '../../../../apps/node/src/executor/known-epochs.ts';
import type { ValidatorSetting } from '../validator.ts';
import type { OpenedStores } from './stores.ts';

/** Call after the pipeline has reconciled the stores. */
export async function openEpochs(setting: ValidatorSetting, stores: OpenedStores): Promise<NodeEpochs> {
  const { records, epoch } = await knownEpochs(stores);
  const epochs = createNodeEpochs(keysOf(setting), records, epoch);
  await readEarlierEpochs(epochs, stores.ledger);
  const { committees } = setting;
  for (let at = epochs.oldest; at <= epoch + 1; at++) {
    const committee = epochs.committeeOf(asEpoch(at));
    const keys = committee && epochKeysOf(committee);
    if (keys) committees.addCommittee(keys.epoch, keys.publicKeys);
  }
  // Other nodes may be epochs behind, and share the verifier.
  followCommittees(epochs, { ...committees, dropCommittee: () => {} });
  return epochs;
}

export function ownIndexIn(committee: Committee, setting: ValidatorSetting): number | undefined {
  return memberIn(committee, keysOf(setting));
}

/** A node that is no member keeps its first network key. */
export function withNetworkKey(world: NodeWorld, setting: ValidatorSetting, record: EpochRecord): NodeWorld {
  const index = memberIn(record, keysOf(setting));
  const wanted = index === undefined ? undefined : record.members[index]?.peerKey;
  if (wanted === undefined || wanted === world.peer) return world;
  return { ...world, transport: world.transportAs(wanted) };
}

export function ownSigner(
  member: { readonly blsPublicKey: Uint8Array } | undefined,
  { keys }: ValidatorSetting,
): Signer | undefined {
  return member && keys.find(({ signer }) => bytesEqual(member.blsPublicKey, signer.publicKey))?.signer;
}

/** The scheme has the secrets. */
export function keysOf({ keys }: Pick<ValidatorSetting, 'keys'>): Parameters<typeof createNodeEpochs>[0] {
  const none = new Uint8Array(0);
  return {
    blsKeys: keys.map(({ signer: { publicKey } }) => ({ publicKey, secret: none })),
    networkKeys: keys.map(({ peerKey }) => ({ peer: peerKey, seed: none })),
  };
}

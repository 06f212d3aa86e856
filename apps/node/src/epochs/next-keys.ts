/**
 * Reads the keys of a rotation while the node runs: once a record is sealed that names others for its validator.
 *
 *   keys/next written, rotateKeys, ready --> sealed --> read --> in use from the boundary on
 *
 * A keystore may take a second to decrypt. If the epoch has begun meanwhile, its record was taken for one of others: the parts are exchanged.
 */
import { type Identity, memberIn } from '@slipstream/node-home/identity';
import type { Telemetry } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import type { NodeEpochs } from './node-epochs.ts';

/** Exchanged as a whole. */
export interface HeldKeys {
  blsKeys: Identity['blsKeys'];
  networkKeys: Identity['networkKeys'];
}

export function watchNextKeys(
  epochs: Pick<NodeEpochs, 'record' | 'now' | 'self' | 'next' | 'onChanged'>,
  held: HeldKeys,
  read: () => Promise<HeldKeys>,
  { telemetry }: { readonly telemetry: Pick<Telemetry, 'log'> },
  changeIdentity: () => void,
): void {
  epochs.onChanged((change) => {
    const self = epochs.self();
    const next = epochs.next();
    if (change !== 'sealed' || self === undefined || next === undefined) return;
    const own = epochs.record().members[self]?.validatorId as Uint8Array;
    const isLeaving = !next.members.some(({ validatorId }) => bytesEqual(validatorId, own));
    if (isLeaving || memberIn(next, held) !== undefined) return;
    read().then(
      ({ blsKeys, networkKeys }) => {
        held.blsKeys = blsKeys;
        held.networkKeys = networkKeys;
        if (memberIn(next, held) !== undefined) {
          if (epochs.now() >= next.epoch) changeIdentity();
          return;
        }
        telemetry.log('error', 'the next epoch names keys of this validator that are not here: it will only follow', {
          epoch: next.epoch,
          remedy: 'Put the keys of the rotation under keys/next, and restart the node.',
        });
      },
      (error: unknown) => telemetry.log('error', 'the keys of the rotation cannot be read', { error: String(error) }),
    );
  });
}

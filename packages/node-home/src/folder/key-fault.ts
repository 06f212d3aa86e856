/** Whether a node's keys and a record agree. */
import { bytesEqual, to0x } from '@slipstream/primitives';
import type { EpochRecord } from '@slipstream/types';
import { type Identity, memberIn } from './identity.ts';

interface KeyFault {
  /** `standby`: the key may be of a later record, so the node follows until then. */
  readonly kind: 'bound-elsewhere' | 'taken-for-validator' | 'standby';
  readonly message: string;
  readonly remedy: string;
}

type Keys = Pick<Identity, 'blsKeys' | 'networkKeys' | 'peer'>;

/** Undefined: they agree, or the node only follows. */
export function keyFault(record: EpochRecord, keys: Keys): KeyFault | undefined {
  if (memberIn(record, keys) !== undefined) return undefined;
  return boundElsewhere(record, keys) ?? takenForValidator(record, keys) ?? standby(record, keys);
}

function boundElsewhere({ epoch, members }: EpochRecord, { blsKeys, networkKeys }: Keys): KeyFault | undefined {
  const index = members.findIndex(({ blsPublicKey }) =>
    blsKeys.some(({ publicKey }) => bytesEqual(publicKey, blsPublicKey)),
  );
  const member = members[index];
  if (member === undefined) return undefined;
  const own = networkKeys.map(({ peer }) => `${peer.slice(0, 16)}...`).join(', ');
  const message = `validator ${index} has the network key ${member.peerKey.slice(0, 16)}... in epoch ${epoch}, this node's is ${own}: it signs nothing`;
  return {
    kind: 'bound-elsewhere',
    message,
    remedy: 'Set keys.peer to the right seed, or run the validator where that key is.',
  };
}

function takenForValidator({ epoch, members }: EpochRecord, { peer }: Keys): KeyFault | undefined {
  const index = members.findIndex(({ peerKey }) => peerKey === peer);
  if (index < 0) return undefined;
  const message = `the network key ${peer.slice(0, 16)}... is that of validator ${index} in epoch ${epoch}, and this node has not its BLS key: nothing votes for it`;
  return {
    kind: 'taken-for-validator',
    message,
    remedy: 'Set keys.bls to its keystore; a full node needs a network key of its own (keys.peer).',
  };
}

function standby({ epoch }: EpochRecord, { blsKeys: [first] }: Keys): KeyFault | undefined {
  if (first === undefined) return undefined;
  const message = `the BLS key ${to0x(first.publicKey).slice(0, 18)}... is of no validator in epoch ${epoch}: this node follows, and signs once a record names the key`;
  return {
    kind: 'standby',
    message,
    remedy:
      'For a candidate this is right. Else set keys.bls to the right keystore, or leave it empty for a full node.',
  };
}

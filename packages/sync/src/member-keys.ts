import type { PeerKey } from '@slipstream/ports';
import type { Committee } from '@slipstream/types';

export function memberKeys({ members }: Pick<Committee, 'members'>): ReadonlySet<PeerKey> {
  return new Set(members.map(({ peerKey }) => peerKey));
}

/** revokeSession: ends a session on this chain. Owner: the granting anchor on the issuing chain; elsewhere the session's account. */
import { ContainerType, createCodec, to0x } from '@slipstream/primitives';
import {
  type AccountKey,
  type AccountKeyWire,
  accountKeyFromWire,
  accountKeyText,
  accountKeyToWire,
  accountKeyType,
} from '../../src/account.ts';
import { parseBytes, requireAccount } from '../../src/actions/json.ts';
import type { GrantId } from '../../src/ids.ts';
import { asId } from '../../src/ids.ts';
import { ACTION_BODY_BYTES_MAX } from '../../src/limits.ts';
import { bytes32 } from '../../src/subject-wire.ts';

export interface RevokeSession {
  readonly kind: 'revokeSession';
  readonly owner: AccountKey;
  readonly grantId: GrantId;
}

interface RevokeSessionWire {
  readonly owner: AccountKeyWire;
  readonly grantId: Uint8Array;
}

const type = new ContainerType({ owner: accountKeyType, grantId: bytes32 });

export const revokeSessionCodec = createCodec<RevokeSession, RevokeSessionWire>(
  'revokeSession',
  type,
  ACTION_BODY_BYTES_MAX,
  {
    toWire: ({ owner, grantId }) => ({ owner: accountKeyToWire(owner), grantId }),
    fromWire: ({ owner, grantId }) => ({
      kind: 'revokeSession',
      owner: accountKeyFromWire(owner),
      grantId: asId<GrantId>(grantId),
    }),
  },
);

export interface RevokeSessionJson {
  readonly kind: 'revokeSession';
  readonly owner: string;
  readonly grantId: string;
}

export function revokeSessionToJson({ owner, grantId }: RevokeSession): RevokeSessionJson {
  return { kind: 'revokeSession', owner: accountKeyText(owner), grantId: to0x(grantId) };
}

/** Throws RangeError with the reason. */
export function revokeSessionFromJson(json: RevokeSessionJson): RevokeSession {
  return {
    kind: 'revokeSession',
    owner: requireAccount(json.owner),
    grantId: asId<GrantId>(parseBytes(json.grantId)),
  };
}

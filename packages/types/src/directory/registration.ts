/** What a BLS key signs to enter the account directory: it belongs to this account of this chain, which proves possession too. */
import { domainPrefix, hashInDomain } from '@slipstream/primitives';
import { type AccountKey, accountKeyBytes } from '../account.ts';
import type { GenesisHash } from '../ids.ts';

const REGISTER_DOMAIN = domainPrefix('slipstream/register');

/** 32 bytes. `blsKey`: 96 bytes. */
export function registrationMessage(genesisHash: GenesisHash, account: AccountKey, blsKey: Uint8Array): Uint8Array {
  return hashInDomain(REGISTER_DOMAIN, genesisHash, accountKeyBytes(account), blsKey);
}

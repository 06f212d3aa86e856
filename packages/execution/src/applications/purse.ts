import { domainPrefix, hashInDomain } from '@slipstream/primitives';
import type { AccountKey, GenesisHash } from '@slipstream/types';

const PURSE_DOMAIN = domainPrefix('slipstream/purse');

/** The account of an application's purse (applications.md). */
export function applicationPurse(genesisHash: GenesisHash, application: number, label: Uint8Array): AccountKey {
  const place = Uint8Array.of(application >>> 8, application);
  return { scheme: 'purse', bytes: hashInDomain(PURSE_DOMAIN, genesisHash, place, label) };
}

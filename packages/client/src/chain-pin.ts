/** A lying node could make a client sign for another chain, where the same key may own funds. */
import { type GenesisHash, idFromHex } from '@slipstream/types';
import { ClientError } from './errors.ts';

const HASH = /^0x[0-9a-f]{64}$/;

interface ChainPin {
  /** Throws ClientError `malformed-answer`, or `wrong-chain` for another hash. */
  check(reported: string): GenesisHash;
}

/** `expected` undefined trusts the node. Throws ClientError `bad-argument`. */
export function createChainPin(url: string, expected: string | undefined): ChainPin {
  if (expected !== undefined && !HASH.test(expected)) {
    throw new ClientError('bad-argument', 'the genesis hash must be 0x and 64 lower-case hexadecimal digits');
  }
  return {
    check(reported) {
      if (!HASH.test(reported)) throw new ClientError('malformed-answer', `${url} tells no genesis hash`);
      if (expected !== undefined && reported !== expected) {
        throw new ClientError('wrong-chain', `${url} is a node of the chain ${reported}, not of ${expected}`);
      }
      return idFromHex<GenesisHash>(reported);
    },
  };
}

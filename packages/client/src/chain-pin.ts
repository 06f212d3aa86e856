/**
 * Which chain a client signs for. A node's word alone is enough to sign for a chain that the caller does not mean: the same key may
 * own something there, and what is signed is valid there. So a caller that knows its chain says so.
 */
import { type GenesisHash, idFromHex } from '@slipstream/types';
import { ClientError } from './errors.ts';

const HASH = /^0x[0-9a-f]{64}$/;

interface ChainPin {
  /** Throws ClientError `malformed-answer`, or `wrong-chain` when the node's is not the expected one. */
  check(reported: string): GenesisHash;
}

/** `expected` undefined: the node is believed. Throws ClientError `bad-argument`. */
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

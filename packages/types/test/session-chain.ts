import { type Genesis, type GenesisHash, recordOfGenesis, type SessionChain } from '../src/index.ts';

/** In its first epoch. */
export function sessionChainOf(chain: { readonly genesis: Genesis; readonly genesisHash: GenesisHash }): SessionChain {
  const record = recordOfGenesis(chain.genesis);
  return { genesisHash: chain.genesisHash, recordOf: () => record };
}

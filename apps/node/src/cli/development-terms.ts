/** A chain with one validator on this machine, for development: no fees, no addresses of others. */

/** A validator has an address in genesis; this one is alone, and dialled by no node. */
const NO_ADDRESS = '127.0.0.1:9';

export const DEVELOPMENT_TERMS = {
  chain: 'dev',
  validators: 1,
  fullNodes: 0,
  development: true,
  host: '127.0.0.1',
  networkPort: 0,
  addressOf: () => NO_ADDRESS,
  apiHost: '127.0.0.1',
  preset: 'local',
  fees: 'free',
  generatedAccounts: 0,
} as const;

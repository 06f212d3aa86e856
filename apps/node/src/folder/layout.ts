/** Where things are in a node's home folder. */
export const HOME = {
  config: 'config.yaml',
  genesis: 'genesis.json',
  blsKeystore: 'keys/bls.keystore.json',
  blsPassword: 'keys/bls.password',
  peerSeed: 'keys/peer.seed',
  faucetKey: 'keys/faucet.key',
  adminToken: 'keys/admin.token',
  /** Everything that the node itself writes. */
  data: 'data',
} as const;

/** Below the data folder. */
export const DATA = {
  wal: 'wal',
  state: 'state',
  ledger: 'ledger',
  chunks: 'chunks',
  /** Links for peers that join. */
  snapshots: 'snapshots',
  /** What a state sync has fetched so far. */
  sync: 'sync',
  /** What the flight recorder keeps. */
  recordings: 'recordings',
  signState: 'sign-state.json',
  /** What operators did. */
  audit: 'audit.jsonl',
} as const;

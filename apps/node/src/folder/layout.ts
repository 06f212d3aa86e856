/** Where things are in a node's home folder. */
export const HOME = {
  config: 'config.yaml',
  genesis: 'genesis.json',
  /** What the node told before it had a genesis: public. */
  candidacy: 'candidacy.json',
  /** The root key's word for the committee: public, in credentials. */
  committeeCertificate: 'committee.certificate',
  blsKeystore: 'keys/bls.keystore.json',
  blsPassword: 'keys/bls.password',
  peerSeed: 'keys/peer.seed',
  faucetKey: 'keys/faucet.key',
  adminToken: 'keys/admin.token',
  /** Everything that the node itself writes. */
  data: 'data',
} as const;

/** Beside the genesis of a chain that is made from candidacies: all that its nodes need to begin with it. Public. */
export const CHAIN_FILE = 'chain.json';

/** Beside the folders of the nodes, for whoever keeps the root key: offline. */
export const ROOT = { keystore: 'root.keystore.json', password: 'root.password' } as const;

/** Folders of a chain's nodes, in their order in genesis: validators, then those that only follow. */
export function nodeNames(validators: number, fullNodes: number): readonly string[] {
  return [
    ...Array.from({ length: validators }, (_, index) => `validator-${index}`),
    ...Array.from({ length: fullNodes }, (_, index) => `full-node-${index}`),
  ];
}

/** Below the data folder. */
export const DATA = {
  wal: 'wal',
  state: 'state',
  ledger: 'ledger',
  /** Where in the chunk files each chunk is. */
  chunks: 'chunks',
  chunkFiles: 'chunk-files',
  /** An index that was damaged. */
  chunksAside: 'chunks.damaged',
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

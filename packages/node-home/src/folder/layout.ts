export const HOME = {
  config: 'config.yaml',
  genesis: 'genesis.json',
  /** The node's candidacy, from before it had a genesis: public. */
  candidacy: 'candidacy.json',
  /** What a governor adds this node as a validator with: public. */
  validator: 'validator.json',
  /** Artifacts of the chain's applications: public. */
  applications: 'applications',
  /** The root key's certificate of the committee: public, in credentials. */
  committeeCertificate: 'committee.certificate',
  blsKeystore: 'keys/bls.keystore.json',
  blsPassword: 'keys/bls.password',
  peerSeed: 'keys/peer.seed',
  /** Keys of a rotation, in use from the epoch whose record names them, until the old ones are retired. */
  nextBlsKeystore: 'keys/next/bls.keystore.json',
  nextBlsPassword: 'keys/next/bls.password',
  nextPeerSeed: 'keys/next/peer.seed',
  faucetKey: 'keys/faucet.key',
  /** Of the account that pays for what the node sends by itself. */
  accountKey: 'keys/account.key',
  adminToken: 'keys/admin.token',
  /** All files that the node itself writes. */
  data: 'data',
} as const;

/** Beside the genesis of a chain made from candidacies: what its nodes need to begin. Public. */
export const CHAIN_FILE = 'chain.json';

/** Beside the nodes' folders, for the holder of the root key: to be kept offline. */
export const ROOT = { keystore: 'root.keystore.json', password: 'root.password' } as const;

/** Folders of a chain's nodes, in the order of genesis: validators, then full nodes. */
export function nodeNames(validators: number, fullNodes: number): readonly string[] {
  return [
    ...Array.from({ length: validators }, (_, index) => `validator-${index}`),
    ...Array.from({ length: fullNodes }, (_, index) => `full-node-${index}`),
  ];
}

export const DATA = {
  wal: 'wal',
  state: 'state',
  ledger: 'ledger',
  /** Receipts and accounts of blocks; the ledger holds the place of each. */
  blockFiles: 'block-files',
  /** Index: the place of each chunk in the chunk files. */
  chunks: 'chunks',
  chunkFiles: 'chunk-files',
  /** A damaged index, moved aside. */
  chunksAside: 'chunks.damaged',
  /** Links for joining peers. */
  snapshots: 'snapshots',
  /** Data fetched by a state sync. */
  sync: 'sync',
  /** Artifacts that peers sent, for upgrades that no operator has accepted here. */
  artifacts: 'artifacts',
  /** Actions of applications that this node keeps out of its blocks. */
  quarantine: 'quarantine.json',
  recordings: 'recordings',
  /** Why this node stopped: its digest differed from the certified one. */
  divergence: 'divergence.json',
  /** What `state rebuild` set aside, one numbered folder each. */
  setAside: 'set-aside',
  /** The ledger that `state rebuild` prepares. */
  rebuilt: 'ledger.rebuilt',
  signState: 'sign-state.json',
  /** The newest version of the rules whose formats the folder may hold. */
  floorMark: 'formats.json',
  audit: 'audit.jsonl',
} as const;

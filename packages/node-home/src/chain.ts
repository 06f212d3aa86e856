/** Makes chains and their nodes' homes: `init`, and genesis from candidacies. */
export { acceptGenesis, inspectGenesis } from './folder/accept-genesis.ts';
export { parseAllocations } from './folder/allocations.ts';
export { makeCandidacy, readCandidate } from './folder/candidate.ts';
export { certifyCommittee } from './folder/committee-certificate.ts';
export { createChain } from './folder/create-chain.ts';
export type { ChainTerms } from './folder/found-chain.ts';
export { type InitializedChain, type InitOptions, initChain } from './folder/init.ts';
export { type KeyPlaces, makeMissingKeys, NEXT_KEYS, readPeerKey, readValidatorKeys } from './folder/validator-keys.ts';

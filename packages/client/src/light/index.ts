export { askBlockProof, type BlockProof, type BlockStep, verifyBlocks } from './block-proof.ts';
export { type LightClient, openLightClient } from './light-client.ts';
export type {
  Conflict,
  HeightCheck,
  LightCheckpoint,
  LightClientOptions,
  LightHead,
  NodeFault,
  NodeFaultCode,
  NodeView,
} from './options.ts';
export type { ProofReader, Proven } from './reads.ts';

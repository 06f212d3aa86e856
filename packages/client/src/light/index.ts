export { type LightClient, openLightClient } from './light-client.ts';
export type {
  Conflict,
  LightCheckpoint,
  LightClientOptions,
  LightHead,
  NodeFault,
  NodeFaultCode,
  NodeView,
} from './options.ts';
export type { ProofReader, Proven } from './reads.ts';

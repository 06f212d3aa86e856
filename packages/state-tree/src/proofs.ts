/** What clients need of the tree: proofs and their check, without the tree. */
export { KEY_BYTES_MAX } from './forms.ts';
export {
  checkStateProof,
  PROOF_KEYS_MAX,
  PROOF_VALUE_BYTES_MAX,
  type StateProof,
  stateProofCodec,
} from './state-proof.ts';
export type { PathFault } from './verify-path.ts';

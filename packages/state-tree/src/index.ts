export type { ChangeColumns } from './changes.ts';
export { StateTreeError } from './errors.ts';
export { KEY_BYTES_MAX } from './forms.ts';
export type { NoProof } from './make-proof.ts';
export { type PathProof, pathProofCodec } from './path-proof.ts';
export { openStateTree, type StateTree } from './state-tree.ts';
export { type PathFault, verifyPath } from './verify-path.ts';

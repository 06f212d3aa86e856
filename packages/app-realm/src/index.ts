export { type Artifact, artifactHash, decodeArtifact, encodeArtifact } from './artifact.ts';
export { canonicalJson } from './canonical-json.ts';
export { OutOfCompute, RealmError } from './errors.ts';
export * from './limits.ts';
export { loadProgram, loadScript, type MeteredProgram } from './metered-program.ts';
export { EXACT_MATH } from './realm-lists.ts';
export { assertStack } from './stack.ts';

export {
  type BlsSigner,
  checkProofOfPossession,
  createBlsSigner,
  generateBlsSecretKey,
  verifyCompressed,
} from './bls-signer.ts';
export {
  badSignatures,
  type CandidacySignature,
  signCandidacy,
} from './candidacy.ts';
export { ED25519_SECRET_BYTES, ed25519PublicKey, ed25519Sign, ed25519Verify } from './ed25519.ts';
export { createInlineVerifier } from './inline-verifier.ts';
export { decryptKeystore, encryptKeystore } from './keystore.ts';
export type { VerifierService, VerifierStats } from './verifier-service.ts';
export { createWorkerVerifier } from './worker-verifier.ts';

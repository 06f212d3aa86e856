export {
  type BlsSigner,
  checkProofOfPossession,
  createBlsSigner,
  generateBlsSecretKey,
  KEY_SEED_BYTES,
  verifyCompressed,
} from './bls-signer.ts';
export {
  badSignatures,
  type CandidacySignature,
  type CandidacyWishes,
  type CandidateKeys,
  signCandidacy,
} from './candidacy.ts';
export { ED25519_SECRET_BYTES, ed25519PublicKey, ed25519Sign, ed25519Verify } from './ed25519.ts';
export { createInlineVerifier, type InlineVerifierOptions } from './inline-verifier.ts';
export { decryptKeystore, type EncryptKeystoreOptions, encryptKeystore, KEYSTORE_BYTES_MAX } from './keystore.ts';
export type { VerifierService, VerifierStats } from './verifier-service.ts';
export { createWorkerVerifier, WORKERS_MAX, type WorkerVerifierOptions } from './worker-verifier.ts';

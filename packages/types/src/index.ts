export * from './account.ts';
export type { ActionDefinition } from './actions/definition.ts';
export { type ActionWire, actionFromJson, actionFromWire, actionToJson, actionToWire } from './actions/forms.ts';
export * from './actions/index.ts';
export * from './block.ts';
export * from './call-units.ts';
export * from './candidacy.ts';
export * from './candidacy-json.ts';
export * from './certificate.ts';
export * from './chunk.ts';
export * from './committee.ts';
export * from './digest.ts';
export * from './directory/entry.ts';
export * from './directory/g1-key.ts';
export * from './directory/parameters.ts';
export * from './directory/proof.ts';
export * from './directory/registration.ts';
export * from './epochs/changes.ts';
export { type ChangeJson, changeFromJson, changeToJson } from './epochs/changes-json.ts';
export * from './epochs/compress-signature.ts';
export * from './epochs/contradiction.ts';
export * from './epochs/epoch-end.ts';
export * from './epochs/epoch-entries.ts';
export * from './epochs/fee-faults.ts';
export * from './epochs/follow-handovers.ts';
export * from './epochs/governance.ts';
export * from './epochs/handover.ts';
export * from './epochs/key-signatures.ts';
export * from './epochs/parameters.ts';
export { feesToJson, issuersToJson } from './epochs/parameters-json.ts';
export * from './epochs/proposed-changes.ts';
export * from './epochs/record.ts';
export * from './epochs/validator-id.ts';
export * from './fee-forecast.ts';
export * from './fee-units.ts';
export type { Description, FieldDescription } from './forms/description.ts';
export * from './frames.ts';
export * from './genesis.ts';
export { bindsArtifact, bindsNameAlone, type GenesisApplication } from './genesis-applications.ts';
export * from './genesis-json.ts';
export * from './ids.ts';
export * from './leader-schedule.ts';
export * from './limits.ts';
export * from './merkle.ts';
export * from './merkle-frontier.ts';
export * from './node-place.ts';
export * from './offence.ts';
export * from './outgoing-frames.ts';
export {
  AWAITED_TRANSACTIONS_MAX,
  type BatchAnswer,
  type BatchRefusal,
  type ChunkFrame,
  TRANSACTIONS_FRAME_BYTES_MAX,
  type TransactionsFrame,
} from './payload-frames.ts';
export * from './prepared.ts';
export * from './proof.ts';
export * from './proposal.ts';
export * from './receipt.ts';
export * from './receipt-writer.ts';
export * from './session/auth.ts';
export * from './session/authority-message.ts';
export * from './session/check-credential.ts';
export * from './session/committee-certificate.ts';
export * from './session/credential.ts';
export * from './session/credential-memory.ts';
export * from './session/grant.ts';
export * from './session/make-credential.ts';
export * from './session/receipt-output.ts';
export * from './session/scope.ts';
export * from './session/session-record.ts';
export * from './state/account-value.ts';
export * from './state/applications.ts';
export * from './state/keys.ts';
export * from './subject.ts';
export * from './subject-wire.ts';
export {
  SYNC_CHUNKS_MAX,
  SYNC_QUERIES,
  type SyncQuery,
  type SyncRequest,
  type SyncResponse,
} from './sync-frames.ts';
export * from './transaction.ts';
export * from './units.ts';
export * from './vote.ts';

export * from './account-value.ts';
export { evidenceRefusal } from './actions/validators.ts';
export {
  type Applications,
  createApplications,
  NO_APPLICATIONS,
} from './applications/applications.ts';
export { applicationWrites } from './applications/genesis.ts';
export { applicationPurse } from './applications/purse.ts';
export {
  createQueries,
  QUERY_READS_MAX,
  type Query,
  type QueryRound,
  type Question,
  type RunQuery,
} from './applications/queries.ts';
export { readApplications } from './applications/upgrades.ts';
export type { CallWatch } from './applications/watched.ts';
export { type BlockMemory, createBlockMemory } from './block-memory.ts';
export * from './conflicts.ts';
export { directoryPath, directoryPathKeys, EMPTY_DISTILLED, readDirectory } from './directory/directory.ts';
export { DIRECTORY_KEY, DISTILLED_KEY, entryKey } from './directory/keys.ts';
export {
  decodeRegistration,
  encodeRegistration,
  REGISTRATION_BYTES,
  type Registration,
  registrationBytes,
  registrationsIn,
} from './directory/registrations.ts';
export * from './epochs/current-epoch.ts';
export { epochEntries } from './epochs/genesis-entries.ts';
export {
  CHANGES_KEY,
  changeKey,
  EPOCH_KEY,
  listedKey,
  proposalKey,
  recordHeadKey,
  usedKey,
  validatorKey,
} from './epochs/keys.ts';
export { type EpochSeal, readRecords, readSeal } from './epochs/known-records.ts';
export { type Outlook, outlookOf, type ProposalOutlook } from './epochs/outlook.ts';
export * from './epochs/proposals.ts';
export { readQueue, readWaiting } from './epochs/queue.ts';
export { readHead, readRecord, readRecordsTogether } from './epochs/records.ts';
export { awaitsReadiness } from './epochs/reputation.ts';
export { EPOCH_BLOCKS_MIN, type WaitReason } from './epochs/seal.ts';
export { readKeyUse } from './epochs/used-keys.ts';
export { countValidators, validatorAt } from './epochs/validator-list.ts';
export { readValidator, type Validator } from './epochs/validators.ts';
export { type WaitingValidator, waitingValidators } from './epochs/waiting-validators.ts';
export * from './errors.ts';
export * from './executor.ts';
export * from './fee-presets.ts';
export * from './fees.ts';
export * from './genesis-state.ts';
export type { Entries, FetchedEntries } from './overlay.ts';
export * from './parallel/call-workers.ts';
export { createParallelCalls, type ParallelCalls } from './parallel/parallel-calls.ts';
export { createHandedCalls } from './parallel/run-call.ts';
export { callItems, callOfItems, listBytes, readList, resultItems, resultOfItems, writeList } from './parallel/wire.ts';
export { devicesStateKey, readDevices } from './sessions/devices.ts';
export { type IssuerCommittees, issuerStateKey, readIssuer } from './sessions/issuers.ts';
export { readSession, sessionStateKey } from './sessions/record.ts';
export { sessionRefusalOf } from './sessions/refusal.ts';
export * from './state-keys.ts';
export { type Write, type WriteColumns, writesOf } from './write-columns.ts';

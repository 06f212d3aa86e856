import type { Command } from '@slipstream/command-line';
import { accountRegisterCommand } from './commands/account-register.ts';
import { accountShowCommand } from './commands/account-show.ts';
import { auditCommand, drainCommand, logLevelCommand, undrainCommand } from './commands/admin.ts';
import { appAcceptCommand } from './commands/app-accept.ts';
import { appArtifactsCommand } from './commands/app-artifacts.ts';
import { appBuildCommand } from './commands/app-build.ts';
import { appCheckCommand } from './commands/app-check.ts';
import { appDevCommand } from './commands/app-dev.ts';
import { appNewCommand } from './commands/app-new.ts';
import { appQuarantineCommand } from './commands/app-quarantine.ts';
import { appSimCommand } from './commands/app-sim.ts';
import { appTestCommand } from './commands/app-test.ts';
import { completionCommandOf } from './commands/completion.ts';
import { directoryShowCommand } from './commands/directory-show.ts';
import { distillGatewayCommand } from './commands/distill-gateway.ts';
import { distillTransferCommand } from './commands/distill-transfer.ts';
import { doctorCommand } from './commands/doctor.ts';
import { epochsCommand } from './commands/epochs.ts';
import { evidenceCommand } from './commands/evidence.ts';
import { evidenceBlameCommand } from './commands/evidence-blame.ts';
import { genesisAcceptCommand } from './commands/genesis-accept.ts';
import { genesisCandidateCommand } from './commands/genesis-candidate.ts';
import { genesisCreateCommand } from './commands/genesis-create.ts';
import { governanceApproveCommand, governanceRevokeCommand } from './commands/governance-approve.ts';
import { governanceProposeCommand } from './commands/governance-propose.ts';
import { governanceShowCommand } from './commands/governance-show.ts';
import { initCommand } from './commands/init.ts';
import { certifyCommitteeCommand } from './commands/keys-certify-committee.ts';
import { exportHistoryCommand } from './commands/keys-export-history.ts';
import { keysImportCommand } from './commands/keys-import.ts';
import { importHistoryCommand } from './commands/keys-import-history.ts';
import { keysListCommand } from './commands/keys-list.ts';
import { keysNewCommand } from './commands/keys-new.ts';
import { recoverHistoryCommand } from './commands/keys-recover-history.ts';
import { keysRetireCommand } from './commands/keys-retire.ts';
import { keysShowCommand } from './commands/keys-show.ts';
import { nodeCommand } from './commands/node.ts';
import { peersBlockCommand } from './commands/peers-block.ts';
import { peersListCommand } from './commands/peers-list.ts';
import { peersUnblockCommand } from './commands/peers-unblock.ts';
import { replayCommand } from './commands/replay.ts';
import { sessionGrantCommand } from './commands/session-grant.ts';
import { sessionRevokeCommand } from './commands/session-revoke.ts';
import { sessionShowCommand } from './commands/session-show.ts';
import { sessionUseCommand } from './commands/session-use.ts';
import { stateRebuildCommand } from './commands/state-rebuild.ts';
import { stateVerifyCommand } from './commands/state-verify.ts';
import { statusCommand } from './commands/status.ts';
import { faucetCommand } from './commands/tx-faucet.ts';
import { showTransactionCommand } from './commands/tx-show.ts';
import { transferCommand } from './commands/tx-transfer.ts';
import { verifyProofCommand } from './commands/tx-verify-proof.ts';
import { waitCommand } from './commands/tx-wait.ts';
import { validatorCandidateCommand } from './commands/validator-candidate.ts';
import { validatorLeaveCommand } from './commands/validator-leave.ts';
import { validatorReadyCommand } from './commands/validator-ready.ts';
import { validatorRotateCommand } from './commands/validator-rotate.ts';
import { validatorStatusCommand } from './commands/validator-status.ts';
import { walInspectCommand } from './commands/wal-inspect.ts';

export const COMMANDS: readonly Command[] = [
  nodeCommand,
  initCommand,
  genesisCandidateCommand,
  genesisCreateCommand,
  genesisAcceptCommand,
  keysNewCommand,
  keysImportCommand,
  keysListCommand,
  keysShowCommand,
  exportHistoryCommand,
  importHistoryCommand,
  recoverHistoryCommand,
  certifyCommitteeCommand,
  keysRetireCommand,
  appAcceptCommand,
  appArtifactsCommand,
  appQuarantineCommand,
  validatorCandidateCommand,
  validatorReadyCommand,
  validatorRotateCommand,
  validatorLeaveCommand,
  validatorStatusCommand,
  governanceProposeCommand,
  governanceApproveCommand,
  governanceRevokeCommand,
  governanceShowCommand,
  epochsCommand,
  transferCommand,
  showTransactionCommand,
  waitCommand,
  verifyProofCommand,
  faucetCommand,
  accountShowCommand,
  accountRegisterCommand,
  directoryShowCommand,
  distillTransferCommand,
  distillGatewayCommand,
  sessionGrantCommand,
  sessionUseCommand,
  sessionRevokeCommand,
  sessionShowCommand,
  statusCommand,
  peersListCommand,
  peersBlockCommand,
  peersUnblockCommand,
  evidenceCommand,
  evidenceBlameCommand,
  drainCommand,
  undrainCommand,
  logLevelCommand,
  auditCommand,
  doctorCommand,
  walInspectCommand,
  replayCommand,
  stateVerifyCommand,
  stateRebuildCommand,
  appNewCommand,
  appCheckCommand,
  appTestCommand,
  appDevCommand,
  appSimCommand,
  appBuildCommand,
  completionCommandOf(() => COMMANDS),
];

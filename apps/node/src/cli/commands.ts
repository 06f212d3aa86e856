/** The table of commands, in the order of help. */
import type { Command } from './command.ts';
import { initCommand } from './commands/init.ts';
import { nodeCommand } from './commands/node.ts';
import { statusCommand } from './commands/status.ts';
import { faucetCommand } from './commands/tx-faucet.ts';
import { showTransactionCommand } from './commands/tx-show.ts';
import { transferCommand } from './commands/tx-transfer.ts';
import { verifyProofCommand } from './commands/tx-verify-proof.ts';
import { waitCommand } from './commands/tx-wait.ts';

export const COMMANDS: readonly Command[] = [
  nodeCommand,
  initCommand,
  transferCommand,
  showTransactionCommand,
  waitCommand,
  verifyProofCommand,
  faucetCommand,
  statusCommand,
];

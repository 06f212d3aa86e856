/** The table of commands, in the order of help. */
import type { Command } from './command.ts';
import { initCommand } from './commands/init.ts';
import { nodeCommand } from './commands/node.ts';
import { statusCommand } from './commands/status.ts';

export const COMMANDS: readonly Command[] = [nodeCommand, initCommand, statusCommand];

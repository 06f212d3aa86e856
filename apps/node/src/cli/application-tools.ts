import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { NodeError } from '../errors.ts';

/** What an image leaves out. */
const BUNDLER = 'node_modules/rolldown';

/** Throws NodeError `checkout-needed`. */
export function requireCheckout(command: string): void {
  if (existsSync(join(root, BUNDLER))) return;
  const message = `slipstream ${command} builds and tests applications, which an image cannot: run it in a checkout of the sources`;
  throw new NodeError('checkout-needed', message, { command });
}

/** Throws NodeError `checkout-needed`. */
export async function applicationTools(command: string): Promise<typeof import('./app/tools.ts')> {
  requireCheckout(command);
  return await import('./app/tools.ts');
}

/**
 * Preloaded (--import): replaces a validator's network by two-faced-network.ts. The validator runs from its sources, because a bundle has no
 * module to replace.
 */
import { registerHooks } from 'node:module';

const standIn = new URL('./two-faced-network.ts', import.meta.url).href;
const sources = new URL('../../../apps/node/src/', import.meta.url);
const network = new URL('assembly/network.ts', sources).href;
const program = new URL('cli/program.ts', sources).href;

registerHooks({
  resolve(specifier, context, next) {
    const isBundle = context.parentURL?.endsWith('/apps/node/bin/main.mjs') === true && specifier.startsWith('file:');
    if (isBundle) return next(program, context);
    const found = next(specifier, context);
    return found.url === network && context.parentURL !== standIn ? next(standIn, context) : found;
  },
});

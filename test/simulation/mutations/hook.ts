/** Loads sources with a mutation applied. Import it first (`node --import`); the mutation's name is in SLIPSTREAM_MUTATION. */
import { registerHooks } from 'node:module';
import { MUTATIONS } from './table.ts';

const mutation = MUTATIONS.find(({ name }) => name === process.env.SLIPSTREAM_MUTATION);
if (mutation === undefined) throw new RangeError(`there is no mutation "${process.env.SLIPSTREAM_MUTATION}"`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const changes = mutation.changes.filter(({ file }) => url.endsWith(`/${file}`));
    if (changes.length === 0) return loaded;
    let text =
      typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source as Uint8Array);
    for (const { from, to, file } of changes) {
      if (!text.includes(from)) throw new Error(`mutation ${mutation.name}: ${file} has no "${from}" any more`);
      text = text.replaceAll(from, () => to);
    }
    return { ...loaded, source: text };
  },
});

import { resolve } from 'node:path';
import { defineCommand, inFolder } from '@slipstream/command-line';
import { to0x } from '@slipstream/primitives';
import { type Genesis, parseAccountKey } from '@slipstream/types';
import type { PublicKeyView } from '../key-files.ts';
import { configOf } from '../places.ts';
import { genesisOf, homeOption } from '../stopped-node.ts';

interface ListedKey extends PublicKeyView {
  readonly file: string;
  readonly standing: string;
}

export const keysListCommand = defineCommand({
  name: 'keys list',
  summary: "List the keys in a node's folder and their roles in its genesis.",
  options: { home: homeOption },
  example: 'slipstream keys list --home chain/validator-0',
  async run({ options, terminal }) {
    const home = inFolder(terminal, options.home ?? '.');
    const config = await configOf(home, terminal);
    const genesis = await genesisOf(home, terminal);
    const { keyText, viewKeyFile } = await import('../key-files.ts');
    const wanted = [
      { kind: 'validator', file: config['keys.bls'] },
      { kind: 'network', file: config['keys.peer'] },
      { kind: 'account', file: config['development.faucetKey'] },
    ] as const;
    const keys: ListedKey[] = [];
    for (const { kind, file } of wanted) {
      if (file === '') continue;
      const views = await viewKeyFile(resolve(home, file), undefined);
      const view = views.find((each) => each.kind === kind);
      if (view !== undefined) keys.push({ file: resolve(home, file), ...view, standing: standingOf(view, genesis) });
    }
    const lines = keys.map((key) => `${keyText(key)}\n  ${key.standing}, ${key.file}`);
    terminal.out(options.json ? JSON.stringify({ keys }) : lines.join('\n'));
    return 0;
  },
});

function standingOf({ kind, publicKey, peer, account }: PublicKeyView, genesis: Genesis): string {
  if (kind === 'account') {
    const parsed = parseAccountKey(account ?? '');
    const funded =
      parsed.ok && genesis.allocations.some((each) => to0x(each.account.bytes) === to0x(parsed.value.bytes));
    return funded ? 'funded in genesis' : 'not in genesis';
  }
  const index = genesis.members.findIndex((member) =>
    kind === 'validator' ? to0x(member.blsPublicKey) === publicKey : `0x${member.peerKey}` === peer,
  );
  return index === -1 ? 'of no validator in genesis' : `validator ${index} of ${genesis.members.length}`;
}

/** register: fails with `no-directory`, `directory-full` or `registration-limit`. The proof was checked when the chunk arrived. */
import { appendLeaf, directoryLeaf, frontierRoot, type Register, registrationOutput } from '@slipstream/types';
import { decodeBalance, encodeAccount } from '../account-value.ts';
import { readBounds } from '../directory/bounds.ts';
import { encodeHead, readDirectoryHead } from '../directory/head.ts';
import { DIRECTORY_KEY, DISTILLED_KEY, entryKey, NODE_LEVELS, nodeKey } from '../directory/keys.ts';
import { encodeRegistration } from '../directory/registrations.ts';
import type { StateKey } from '../state-keys.ts';
import type { ActionRule } from './rule.ts';

export const registerRule: ActionRule<Register> = {
  keys: ({ key }) => [key, DISTILLED_KEY, DIRECTORY_KEY],
  apply(scratch, { blsKey }, [account], { sender, height }) {
    const bounds = readBounds(scratch);
    if (bounds === undefined) return { ok: false, code: 'no-directory' };
    const head = readDirectoryHead(scratch);
    const index = head.frontier.size;
    if (index >= bounds.accountsMax) return { ok: false, code: 'directory-full' };
    const registrations = head.height === height ? head.registrations + 1 : 1;
    if (registrations > bounds.registrationsPerBlock) return { ok: false, code: 'registration-limit' };

    const entry = { account: sender, blsKey };
    const { frontier, completed } = appendLeaf(head.frontier, directoryLeaf(index, entry));
    scratch.set(entryKey(index), encodeRegistration({ ...entry, height }));
    for (const { level, number, hash } of completed) {
      if (level > 0 && level % NODE_LEVELS === 0) scratch.set(nodeKey(level, number), hash);
    }
    scratch.set(DIRECTORY_KEY, encodeHead({ frontier, root: frontierRoot(frontier), height, registrations }));
    // Sequences of the new index are unused: rows name their index.
    const registration = { index, last: 0, mask: 0n };
    const own = account as StateKey;
    scratch.set(own, encodeAccount({ balance: decodeBalance(scratch.get(own)), registration }));
    return { ok: true, output: registrationOutput(index) };
  },
};

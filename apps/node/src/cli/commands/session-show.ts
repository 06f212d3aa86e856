import { defineCommand } from '@slipstream/command-line';
import { to0x } from '@slipstream/primitives';
import { clientFor, urlOption } from '../node-url.ts';
import { readSessionFile, SESSION_FILE } from '../session-file.ts';

export const sessionShowCommand = defineCommand({
  name: 'session show',
  summary: 'Show a session: identity, scope, limit, amount spent, expiry.',
  positionals: [{ name: 'ID', about: 'id of the grant. Default: from session.json.', optional: true }],
  options: { url: urlOption },
  example: 'slipstream session show --url http://127.0.0.1:8080',
  async run({ options, arguments: [given], terminal }) {
    const id = given ?? to0x((await readSessionFile(SESSION_FILE, terminal)).grantId);
    const view = await clientFor(options.url, terminal).session.show(id);
    const lines = [
      `session ${view.id}: ${view.status}`,
      `  acts for ${view.account}${view.actsHere ? '' : ', on another chain'}`,
      `  may do   ${view.scope.join(', ')}`,
      `  spent    ${view.spent} of ${view.spendLimit}`,
      `  until    ${new Date(view.expiryMs).toISOString()}`,
    ];
    terminal.out(options.json ? JSON.stringify(view) : lines.join('\n'));
    return 0;
  },
});

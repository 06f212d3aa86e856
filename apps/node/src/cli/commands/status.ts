import type { Client } from '@slipstream/client';
import { count, defineCommand, flag, text } from '@slipstream/command-line';
import { type Status, whyNotSigning } from '@slipstream/schema';
import { clientOf, urlOption } from '../node-url.ts';
import { watchNode } from '../watch/watch.ts';

const ASK_AGAIN_MS = 300;

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show the identity, height and health of a node.',
  details:
    'Exits with 1 when the node is not ready, or with --signing does not sign. With --watch and --json: one event per line.',
  options: {
    url: urlOption,
    home: text('DIR', "The node's folder: without --url, where it serves is read there."),
    watch: flag('Go on showing it, until Ctrl-C.'),
    wait: count(0, [0, 86_400], 'SECONDS', 'Wait until it is ready, at most so long.'),
    signing: flag('Require that it signs, too.'),
  },
  example: 'slipstream status --url http://127.0.0.1:8081 --wait 60',
  async run({ options, terminal }) {
    const client = await clientOf(options, terminal);
    if (options.watch) {
      await watchNode(client, terminal, options);
      return 0;
    }
    const isGood = (status: Status) => status.ready && (!options.signing || status.signing?.state === 'signing');
    const status = await goodStatus(client, options.wait * 1000, isGood);
    terminal.out(options.json ? JSON.stringify(status) : textOf(status));
    return isGood(status) ? 0 : 1;
  },
});

/** Repeats the request: a starting node does not answer at once. */
async function goodStatus(client: Client, withinMs: number, isGood: (status: Status) => boolean): Promise<Status> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const last = performance.now() >= deadline;
    try {
      const status = await client.status();
      if (isGood(status) || last) return status;
    } catch (error) {
      if (last) throw error;
    }
    await new Promise((again) => setTimeout(again, ASK_AGAIN_MS));
  }
}

function textOf(status: Status): string {
  const { node, peers, mempool, alerts } = status;
  const role = node.validator === null ? 'full node' : `validator ${node.validator}`;
  const also = [...(status.syncing ? ['syncing'] : []), ...(status.draining === true ? ['draining'] : [])];
  const state = [status.ready ? 'ready' : 'NOT READY', ...also].join(', ');
  return [
    `${node.name}: ${role} of ${status.chain}, ${state}`,
    `  height     ${status.height} committed, ${status.finalHeight} ordered, ${status.certifiedHeight} certified, view ${status.view}`,
    `  peers      ${peers.connected} connected, ${peers.validators} of them validators, ${peers.blocked} blocked`,
    ...signingLine(status),
    ...accountLine(status),
    `  mempool    ${mempool.transactions} transactions, ${mempool.bytes} bytes`,
    `  uptime     ${Math.round(status.uptimeMs / 1000)} s, version ${status.version}`,
    `  genesis    ${status.genesisHash}`,
    ...alerts.map(({ severity, message, remedy }) => `  ${severity.toUpperCase()}  ${message}\n      -> ${remedy}`),
  ].join('\n');
}

function accountLine({ account }: Status): readonly string[] {
  return account === undefined ? [] : [`  account    ${account.account}, balance ${account.balance}`];
}

function signingLine({ signing }: Status): readonly string[] {
  if (signing === null) return [];
  const why = whyNotSigning(signing);
  return [`  signing    ${why === undefined ? 'yes' : `NO: it ${why}`}`];
}

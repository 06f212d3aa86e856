/**
 * `app dev`: runs an application, and each saved version of it after that.
 *
 *   save --> draft --> findings, and the old program runs on
 *               \----> history executed again on the new one --> changed receipts
 */
import { basename } from 'node:path';
import { keyPairFrom } from '@slipstream/client';
import type { Terminal } from '@slipstream/command-line';
import { CodedError, to0x } from '@slipstream/primitives';
import type { ExecutedAgain } from '../../development/execute-again.ts';
import { NodeError } from '../../errors.ts';
import { shownFindings } from './findings.ts';
import { type ShownChange, shownChanges } from './reload-text.ts';
import type { ReloadingNode } from './reloading-node.ts';
import { type Checked, checkApplication } from './tools.ts';
import { watchSources } from './watch-sources.ts';

interface Development {
  readonly file: string;
  /** As messages name it. */
  readonly shownFolder: string;
  /** Reads the input of genesis. */
  readonly genesis: () => Promise<unknown>;
  readonly start: (program: { readonly artifact: Uint8Array; readonly genesis: unknown }) => Promise<ReloadingNode>;
  readonly terminal: Pick<Terminal, 'out' | 'onSignals' | 'exit'>;
  /** Each line of the answer is JSON. */
  readonly json: boolean;
  readonly underWay: () => void;
}

/** As a shell reports a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

type Built = Extract<Checked, { readonly ok: true }>['build'];

/** Runs until a signal; another one ends the process at once. Throws BuildError for an application that cannot be built at first, and as `start`. */
export async function developApplication(development: Development): Promise<void> {
  const { file, genesis, start, terminal, underWay } = development;
  const watch = watchSources();
  const stopping = Promise.withResolvers<'stop'>();
  let isStopping = false;
  const release = terminal.onSignals(() => {
    if (isStopping) terminal.exit(EXIT_INTERRUPTED);
    isStopping = true;
    stopping.resolve('stop');
  });
  let node: ReloadingNode | undefined;
  try {
    watch.add([file]);
    let running = await firstBuild(development);
    watch.add(running.sources);
    node = await start({ artifact: running.artifact, genesis: await genesis() });
    const failed = node.failed.then((reason) => {
      throw new NodeError('node-failed', `the node cannot go on: ${String(reason)}`);
    });
    failed.catch(() => {}); // in the race below
    underWay();
    report(development, { event: 'ready', url: node.url }, () => banner(development, running, node as ReloadingNode));
    for (;;) {
      const what = await Promise.race([stopping.promise, node.finished.then(() => 'stop'), failed, watch.saved()]);
      if (what === 'stop') return;
      running = await Promise.race([reload(development, node, running), failed]);
      watch.add(running.sources);
    }
  } finally {
    release();
    watch.stop();
    await node?.stop();
  }
}

async function firstBuild({ file, shownFolder }: Development): Promise<Built> {
  const drafted = await checkApplication(file);
  if (drafted.ok) return drafted.build;
  const messages = shownFindings(drafted.findings, shownFolder).map(({ message }) => message);
  throw new NodeError('usage', `this cannot be built:\n  ${messages.join('\n  ')}`);
}

/** Returns what runs afterwards. Reports what is wrong with a version; throws nothing of it. */
async function reload(development: Development, node: ReloadingNode, running: Built): Promise<Built> {
  const savedMs = performance.now();
  const { file, genesis } = development;
  try {
    const drafted = await checkApplication(file, running.lock);
    if (!drafted.ok) {
      refused(
        development,
        shownFindings(drafted.findings, development.shownFolder).map(({ message }) => message),
      );
      return running;
    }
    const { build } = drafted;
    const again = await node.replace({ artifact: build.artifact, genesis: await genesis() });
    const ms = Math.round(performance.now() - savedMs);
    reloaded(development, build, { again, ms, changes: shownChanges(again, manifests(running, build)) });
    return build;
  } catch (error) {
    if (!(error instanceof CodedError) && !(error instanceof Error && 'code' in error)) throw error;
    refused(development, [error.message]);
    return running;
  }
}

function manifests(before: Built, after: Built) {
  return { before: before.manifest, after: after.manifest };
}

type Json = Readonly<Record<string, unknown>>;

function report({ terminal, json }: Development, line: Json, text: () => string): void {
  terminal.out(json ? JSON.stringify(line) : text());
}

function refused(development: Development, messages: readonly string[]): void {
  report(development, { event: 'refused', messages }, () =>
    [...messages, 'The program of before runs on.', ''].join('\n'),
  );
}

interface Reload {
  readonly again: ExecutedAgain;
  readonly ms: number;
  readonly changes: readonly ShownChange[];
}

function reloaded(development: Development, { manifest }: Built, { again, ms, changes }: Reload): void {
  const { blocks, transactions, left, changedCount } = again;
  report(development, { event: 'reloaded', ms, blocks, transactions, left, changedCount, changes }, () => {
    const lines = changes.flatMap(({ height, id, calls, before, after }) => [
      `  height ${height}  ${calls}  ${id}`,
      `    before  ${before}`,
      `    now     ${after}`,
    ]);
    const more = changedCount - changes.length;
    const lost = `${left} blocks from the end of an epoch on were left out: what ends an epoch follows from the state.`;
    return [
      `${manifest.name}, version ${manifest.version}: ${transactions} transactions executed again in ${ms} ms, ${changedCount} receipts changed`,
      ...lines,
      ...(more > 0 ? [`  and ${more} more`] : []),
      ...(left > 0 ? [lost] : []),
      '',
    ].join('\n');
  });
}

function banner({ file }: Development, { manifest }: Built, { url, isInMemory, faucetSecret }: ReloadingNode): string {
  const faucet = keyPairFrom(faucetSecret);
  const { name, actions, queries } = manifest;
  return [
    '',
    `  ${name} on a development chain with one validator, ${isInMemory ? 'in memory' : 'in a temporary folder'}. Nothing on it has any value.`,
    '',
    `  Console     ${url}`,
    `  Interface   ${url}/docs`,
    `  Application ${url}/v1/applications/${name}: ${actions.length} actions, ${queries.length} queries`,
    '',
    '  A funded key, for development only:',
    `    account   ${faucet.accountText}`,
    `    secret    ${to0x(faucet.secret)}`,
    '',
    `  Save ${basename(file)}, and all transactions so far are executed again on it, under the same address.`,
    '  Ctrl-C stops the node, and forgets the chain.',
    '',
  ].join('\n');
}

import { join } from 'node:path';
import type { ClientErrorCode } from '@slipstream/client';
import { defineCommand, inFolder, type Terminal, text } from '@slipstream/command-line';
import { DATA, HOME } from '@slipstream/node-home';
import { fromHex, to0x } from '@slipstream/primitives';
import { NodeError, type NodeErrorCode } from '../../errors.ts';
import { adminClient, adminOptions } from '../admin.ts';
import { urlOption } from '../node-url.ts';

const HASH = /^0x[0-9a-f]{64}$/i;

interface Places {
  readonly home: string | undefined;
  readonly 'token-file': string | undefined;
  readonly url: string | undefined;
}

interface Accepted {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly differences: readonly string[];
}

export const appAcceptCommand = defineCommand({
  name: 'app accept',
  summary: 'Accept an artifact of an application: from now on the node may run it.',
  details:
    'An artifact runs with the rights of the node: accept what you trust as the node itself. HASH names one that the running node has fetched ' +
    'from its peers, see "app artifacts". FILE is put into the home, of a node that runs or not. Either is loaded in a realm, and compared with ' +
    'the newest one of its application: one that gives other numbers, or cannot read what that one wrote, is refused. A running node takes it ' +
    'without a restart, and reports that it has it.',
  positionals: [{ name: 'FILE|HASH', about: 'the artifact, or its hash: 0x and 64 hexadecimal digits.' }],
  options: {
    home: text(
      'DIR',
      "The node's folder. Default: the present one. Its admin token is read there, and where it serves.",
    ),
    'token-file': adminOptions['token-file'],
    url: urlOption,
  },
  example: 'slipstream app accept token-2.artifact --home validator-0',
  async run({ options: { json, ...places }, arguments: [named = ''], terminal }) {
    const isHash = HASH.test(named);
    if (isHash) {
      const answer = await onRunningNode(named, places, terminal);
      if (answer.accepted !== undefined) {
        terminal.out(json ? JSON.stringify(answer.accepted) : textOf(answer.accepted, 'the running node may run it'));
        return 0;
      }
      if (places.home === undefined) throw answer.reason;
    }
    const { path, before, ...accepted } = await intoHome(
      isHash ? fetchedFile(places.home ?? '.', named) : named,
      places,
      terminal,
    );
    const answer = isHash ? undefined : await onRunningNode(accepted.hash, places, terminal);
    const isRunning = answer?.accepted !== undefined;
    if (json) terminal.out(JSON.stringify({ ...accepted, path, running: isRunning }));
    else {
      const compared = before === undefined ? 'the home has no other of this name' : `compared with version ${before}`;
      const running = isRunning ? 'the running node may run it' : 'no node runs there: it reads its home at its start';
      terminal.out(textOf(accepted, `in ${path}`, compared, running));
    }
    return 0;
  },
});

function textOf({ name, version, hash, differences }: Accepted, ...lines: readonly string[]): string {
  return [`${name} version ${version}, artifact ${hash}`, ...lines, ...differences.map((each) => `  ${each}`)].join(
    '\n',
  );
}

/** What peers sent to a node that does not run now. */
const fetchedFile = (home: string, hash: string): string =>
  join(home, HOME.data, DATA.artifacts, `${hash.slice(2).toLowerCase()}.artifact`);

async function onNode(hash: string, places: Places, terminal: Terminal): Promise<Accepted> {
  const client = await adminClient(places, terminal);
  return client.call('acceptArtifact', { params: { hash: to0x(fromHex(hash.slice(2).toLowerCase())) }, body: {} });
}

async function intoHome(file: string, { home: folder }: Places, terminal: Terminal) {
  const home = inFolder(terminal, folder ?? '.');
  const { acceptArtifact, newestHere, readArtifact } = await import('@slipstream/node-home/applications');
  const { manifestDifferences } = await import('../../artifacts/manifest-differences.ts');
  const { upgradeFaults } = await import('../../artifacts/upgrade-faults.ts');
  const { artifact, manifest } = await readArtifact(inFolder(terminal, file), file);
  const before = await newestHere(home, manifest.name);
  const faults = before === undefined ? [] : upgradeFaults(before, manifest);
  if (faults.length > 0) {
    const message = `${file} cannot follow version ${before?.version} of ${manifest.name}: ${faults.join('; ')}`;
    throw new NodeError('usage', message, { faults });
  }
  const { hash, path } = await acceptArtifact(home, artifact);
  const { name, version } = manifest;
  const differences = before === undefined ? [] : manifestDifferences(before, manifest);
  return { name, version, hash: to0x(hash), path, differences, before: before?.version };
}

type NodeAnswer = { readonly accepted: Accepted } | { readonly accepted: undefined; readonly reason: Error };

async function onRunningNode(hash: string, places: Places, terminal: Terminal): Promise<NodeAnswer> {
  try {
    return { accepted: await onNode(hash, { ...places, home: places.home ?? '.' }, terminal) };
  } catch (error) {
    if (!isWithoutNode(error)) throw error;
    return { accepted: undefined, reason: error };
  }
}

/** None runs, or none whose interface or token this home names. */
const isWithoutNode = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && WITHOUT_NODE.has(String(error.code));

const WITHOUT_NODE: ReadonlySet<string> = new Set(['network', 'usage', 'home-incomplete'] satisfies (
  | ClientErrorCode
  | NodeErrorCode
)[]);

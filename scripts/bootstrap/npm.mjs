/** Runs npm quietly: shows its output only when it fails. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const outputCharsMax = 64_000;

const quiet = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * @param {{ root: string, node: string, folder: string, args: string[] }} call the repository, the Node that npm and all
 * install scripts run on, the folder to install in, and npm's arguments
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runNpm({ root, node, folder, args }) {
  const script = process.env.npm_execpath;
  const [command, ...rest] = script?.endsWith('.js') ? [node, script, ...args, ...quiet] : ['npm', ...args, ...quiet];
  const shell = process.platform === 'win32' && command === 'npm';
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, {
      cwd: folder,
      env: installEnvironment(root, node),
      shell,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-outputCharsMax);
      });
    }
    child.once('error', (error) =>
      reject(new Error(`npm could not be started (${error.message}). It comes with Node: is it on the PATH?`)),
    );
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * Removes the tree's own .bin from PATH, because install scripts must not run on a Node that is being replaced. Native code is
 * built against the headers beside the machine's Node when it has them (all addons here use the stable Node-API), so that a
 * build downloads nothing.
 * @param {string} root
 * @param {string} node
 */
function installEnvironment(root, node) {
  const own = join(root, 'node_modules');
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(own));
  const prefixes = [node, process.env.npm_node_execpath ?? node, process.execPath].map((file) =>
    dirname(dirname(file)),
  );
  const headers = prefixes.find((prefix) => existsSync(join(prefix, 'include/node/node_api.h')));
  return {
    ...(headers === undefined ? {} : { npm_config_nodedir: headers }),
    ...process.env,
    PATH: [dirname(node), ...path].join(delimiter),
  };
}

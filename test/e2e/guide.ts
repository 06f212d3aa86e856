/**
 * Runs the command blocks of a guide unchanged, in a folder of its own; that of an operators' guide has a chain.
 *
 *   ```sh          must succeed
 *   ```sh refused  must fail, and print each line of the ```text block after it
 *   ```ts FILE     becomes the file
 *   ```console     is not run
 *
 * Two substitutions: `systemctl` starts and ends real nodes as processes of the script, because this machine has no units, and free ports
 * replace those of the guide.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePortRange, removeFolder, temporaryFolder } from '@slipstream/devnet';
import { environmentName } from '@slipstream/node-home';

const root = join(import.meta.dirname, '../..');
const documents = join(root, 'docs');
/** The highest ports in guides: 9000 + 24, 8080 + 14. */
const NETWORK_PORTS = 25;
const API_PORTS = 15;
const NETWORK_PORT = 9000;
const API_PORT = 8080;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

export interface Block {
  readonly refused: boolean;
  readonly commands: string;
  /** Lines that a refusal must print. */
  readonly says: readonly string[];
  /** What the block is the text of, instead of commands. */
  readonly file?: string;
}

export function blocksOf(markdown: string): readonly Block[] {
  const fences = [...markdown.matchAll(/^```([a-z ]+[a-z/.-]*)\n([\s\S]*?)^```$/gm)].map(
    ([, info = '', body = '']) => ({
      info,
      body,
    }),
  );
  return fences.flatMap(({ info, body }, at) => {
    if (info.startsWith('ts ')) return [{ refused: false, commands: body, says: [], file: info.slice('ts '.length) }];
    if (info !== 'sh' && info !== 'sh refused') return [];
    const next = fences[at + 1];
    const says = info === 'sh refused' && next?.info === 'text' ? next.body.trim().split('\n') : [];
    return [{ refused: info === 'sh refused', commands: body, says }];
  });
}

export interface GuideRun {
  readonly ok: boolean;
  readonly output: string;
}

interface GuideTerms {
  /** The validators of the chain start before the first block. */
  readonly running: boolean;
  /** An idle chain ends an epoch in a minute; with this in seconds. */
  readonly fastBlocks?: boolean;
}

/** Follows a guide of docs/operators: the folder has the chain's nodes. */
export function followGuide(name: string, { running, fastBlocks = false }: GuideTerms): Promise<GuideRun> {
  const init = `slipstream init --validators 4 --fullnodes 1 --development --out . --network-port ${NETWORK_PORT} --api-port ${API_PORT}`;
  const environment = fastBlocks ? { [environmentName('consensus.idleBlockIntervalMs')]: '100' } : {};
  return follow(join('operators', name), running ? [init, START_ALL] : [init], environment);
}

/** Follows a guide of docs/integrators, in an empty folder. */
export function followIntegratorsGuide(name: string): Promise<GuideRun> {
  return follow(join('integrators', name), [], {});
}

async function follow(
  guide: string,
  first: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<GuideRun> {
  const blocks = blocksOf(await readFile(join(documents, guide), 'utf8'));
  if (blocks.length === 0) throw new Error(`${guide} has no command to run`);
  const folder = await temporaryFolder();
  const ports = await freePortRange(NETWORK_PORTS + API_PORTS);
  const script = [PREAMBLE, ...first, ...blocks.map(scriptOf), 'echo "the guide was followed to its end"'].join('\n');
  const path = join(folder, 'guide.sh');
  await writeFile(path, withPorts(script, ports));
  try {
    return await new Promise((done) => {
      const env = { ...process.env, ...environment, SLIPSTREAM_ROOT: root, NO_COLOR: '1' };
      const options = { cwd: folder, env, maxBuffer: OUTPUT_BYTES_MAX };
      execFile('bash', ['-euo', 'pipefail', path], options, (error, stdout, stderr) => {
        done({ ok: error === null, output: `${stdout}\n${stderr}` });
      });
    });
  } finally {
    await removeFolder(folder);
  }
}

function withPorts(script: string, first: number): string {
  return script
    .replace(/\b90[0-2][0-9]\b/g, (port) => String(first + Number(port) - NETWORK_PORT))
    .replace(/\b80[89][0-9]\b/g, (port) => String(first + NETWORK_PORTS + Number(port) - API_PORT));
}

function scriptOf({ refused, commands, says, file }: Block): string {
  if (file !== undefined) return `cat > ${file} <<'END OF THE FILE'\n${commands}END OF THE FILE`;
  const echoed = `echo ${quoted(`+ ${commands.trim().split('\n').join('\n+ ')}`)}`;
  if (!refused) return `${echoed}\n${commands}`;
  const checks = says.map((line) => {
    const said = quoted(line.trim());
    return `grep -qF -- ${said} refused.txt || fail "not said: "${said}`;
  });
  return [
    echoed,
    `if (${commands.trim()}) > refused.txt 2>&1; then fail "was not refused"; fi`,
    'tail -n 3 refused.txt',
    ...checks,
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const START_ALL = `
for each in 0 1 2 3; do systemctl start slipstream@validator-$each; done
for each in 0 1 2 3; do slipstream status --url http://127.0.0.1:$((${API_PORT} + each)) --wait 90 > started.txt || fail "$(cat started.txt)"; done`;

/** A node that must be refused ends by itself; the script ends all others, by their pids. */
const PREAMBLE = `
fail() { echo "FAILED: $*"; tail -n 5 ./*.log; exit 1; }
slipstream() {
  local node="$SLIPSTREAM_ROOT/node_modules/.bin/node" main="$SLIPSTREAM_ROOT/apps/node/bin/main.mjs"
  timeout 120 "$node" "$main" "$@"
}
pid_of() { cat "$1.pid" 2>/dev/null || true; }
end() {
  local pid; pid=$(pid_of "$2")
  [ -n "$pid" ] || return 0
  kill -s "$1" "$pid" 2>/dev/null || true
  case "$1" in STOP | CONT) return 0 ;; esac
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  rm -f "$2.pid"
}
systemctl() {
  local act="$1" signal=TERM unit="$\{!#}" name
  [ "$act" != kill ] || signal="$3"
  name="$\{unit#slipstream@}"
  case "$act" in
    stop | kill) end "$signal" "$name" ;;
    start)
      "$SLIPSTREAM_ROOT/node_modules/.bin/node" "$SLIPSTREAM_ROOT/apps/node/bin/main.mjs" node --home "$name" > "$name.log" 2>&1 &
      echo $! > "$name.pid"
      for _ in $(seq 600); do
        grep -q '"node is up"' "$name.log" && return 0
        kill -0 "$(pid_of "$name")" 2>/dev/null || fail "$unit ended: $(tail -n 2 "$name.log")"
        sleep 0.1
      done
      fail "$unit is not up after a minute"
      ;;
  esac
}
trap 'for each in *.pid; do [ -e "$each" ] && end KILL "$\{each%.pid}"; done; true' EXIT
`;

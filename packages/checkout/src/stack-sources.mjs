/**
 * Stack traces of bundled code name the sources. Source maps are read when a stack is, so that a start does not pay for them, as it
 * does with --enable-source-maps.
 */
import { readFileSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** @type {Map<string, SourceMap | undefined>} */
const maps = new Map();

/**
 * Sets how this thread formats stacks.
 * @param {string} folder URL of the bundled files
 */
export function nameSourcesInStacks(folder) {
  Error.prepareStackTrace = (error, sites) =>
    [Error.prototype.toString.call(error), ...sites.map((site) => `    at ${sourceOf(site, folder)}`)].join('\n');
}

/**
 * @param {NodeJS.CallSite} site
 * @param {string} folder
 */
function sourceOf(site, folder) {
  const text = String(site);
  const file = site.getFileName();
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (!file?.startsWith(folder) || line === null || column === null) return text;
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !('fileName' in origin)) return text;
  return text.replace(`${file}:${line}:${column}`, `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`);
}

/** @param {string} file URL */
function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

/** @param {string} file URL */
function readMap(file) {
  try {
    const path = fileURLToPath(file);
    // A build since this thread started has put its own map there, which would name wrong lines.
    if (statSync(path).mtimeMs > performance.timeOrigin) return undefined;
    const map = JSON.parse(readFileSync(path, 'utf8'));
    const sources = map.sources.map((/** @type {string} */ source) => new URL(source, file).href);
    return new SourceMap({ ...map, sources });
  } catch {
    // A stack without its sources is better than none.
    return undefined;
  }
}

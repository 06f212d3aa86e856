/** Maps npm's output to a cause and a remedy; appends the end of the output, for unlisted causes. */

const linesShown = 15;

/** Begin of npm's usage text, which is cut off. */
const usageStart = /^npm (?:error|ERR!)\s+Clean install a project/m;

/** The first match wins. Order matters: a missing compiler also prints network errors. */
const causes = [
  {
    pattern: /code EUSAGE|in sync/,
    advice: 'package.json and package-lock.json do not agree. Run "npm install" and look at what changed.',
  },
  {
    pattern: /^ignore-scripts$/,
    advice:
      'npm ran no install scripts, so the pinned Node is missing. Run "npm config set ignore-scripts false", then this again.',
  },
  {
    pattern: /ENOSPC/,
    advice: 'the disk is full. The dependencies need about 600 MB.',
  },
  {
    pattern: /EACCES|EPERM/,
    advice: 'a folder may not be written. Check who owns this checkout and the npm cache ("npm config get cache").',
  },
  {
    pattern:
      /gyp ERR! find Python|not found: make|make: not found|(g\+\+|cc|c\+\+): (command )?not found|gyp ERR! stack Error: `make`|No such file or directory.*g\+\+/i,
    advice:
      'a native module had to be compiled and no compiler was found. Run "apt-get install python3 make g++", then this again.',
  },
  {
    pattern: /gyp ERR!/,
    advice:
      'a native module did not compile. It needs python3, make, g++ ("apt-get install python3 make g++") and the headers ' +
      'of the running Node, which node-gyp downloads unless they lie beside it (include/node).',
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|network request/i,
    advice:
      'npm could not reach its registry. Check the network and the proxy ("npm config get registry", "npm ping").',
  },
];

/**
 * @param {string} output what npm printed
 * @returns {string} cause and remedy first, then the last lines of npm itself
 */
export function explainFailure(output) {
  const found = causes.find(({ pattern }) => pattern.test(output));
  const head = `installing failed: ${found?.advice ?? 'npm says below why.'}`;
  const beforeUsage = output.split(usageStart)[0] ?? output;
  const tail = beforeUsage.trim().split('\n').slice(-linesShown);
  return [head, ...tail.map((line) => `  | ${line}`)].join('\n');
}

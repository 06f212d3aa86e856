/** Tells when files are saved. Their folders are watched: an editor replaces a file rather than writing into it. */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface SourceWatch {
  /** From now on also the folders of these files; absolute paths. */
  add(files: readonly string[]): void;
  /** Resolves once files are other ones than at the last call, or than when their folder was added. One call at a time. */
  saved(): Promise<void>;
  stop(): void;
}

/** An editor writes, renames and sets times in one go. */
const QUIET_MS = 20;
const WATCHED = /\.(ts|json)$/;

export function watchSources(): SourceWatch {
  const watchers = new Map<string, FSWatcher>();
  /** By folder. */
  const known = new Map<string, string>();
  let next = Promise.withResolvers<void>();

  function isChanged(folder: string): boolean {
    const files = filesIn(folder);
    if (files === known.get(folder)) return false;
    known.set(folder, files);
    return true;
  }

  return {
    add(files) {
      const folders = [...new Set(files.map(dirname))].filter((folder) => !watchers.has(folder));
      for (const folder of folders) {
        const watcher = watch(folder, (_, name) => {
          if (name === null || WATCHED.test(name)) next.resolve();
        });
        // A folder that is removed is no longer watched.
        watcher.on('error', () => watcher.close());
        watchers.set(folder, watcher);
      }
      // Files of the folders before may have changed meanwhile.
      for (const folder of folders) known.set(folder, filesIn(folder));
    },
    async saved() {
      for (;;) {
        await next.promise;
        await sleep(QUIET_MS);
        next = Promise.withResolvers();
        if ([...watchers.keys()].filter(isChanged).length > 0) return;
      }
    },
    stop() {
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

/** Events come several for one save: what tells a new version is another file, time or size. */
function filesIn(folder: string): string {
  try {
    const names = readdirSync(folder).filter((name) => WATCHED.test(name));
    return names.map((name) => [folder, name, ...stateOf(join(folder, name))].join(' ')).join('\n');
  } catch {
    return folder;
  }
}

function stateOf(file: string): readonly number[] {
  const { ino = 0, mtimeMs = 0, size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return [ino, mtimeMs, size];
}

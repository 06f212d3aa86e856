/** Folders with applications' sources. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The path of a folder with these files; it goes when the test ends. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'application-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** The path of `app.ts` with the code between the kit's import, in line 1, and an application without anything in it. */
export async function fileWith(code: string, others: Readonly<Record<string, string>> = {}): Promise<string> {
  return join(await folderWith({ ...others, 'app.ts': sourceWith(code) }), 'app.ts');
}

export function sourceWith(code: string): string {
  return `import { application } from '@slipstream/app';\n${code}\n${END}\n`;
}

const END = "export default application({ name: 'app', version: 1, state: {}, actions: {} });";

import type { Finding } from '@slipstream/app-build';

/** Files as from the working folder. `shownFolder`: of the application; empty: the working folder. */
export function shownFindings(findings: readonly Finding[], shownFolder: string): readonly Finding[] {
  const inFolder = (file: string) => (shownFolder === '' ? file : `${shownFolder}/${file}`);
  // A message begins with its file.
  return findings.map((finding) => ({ ...finding, file: inFolder(finding.file), message: inFolder(finding.message) }));
}

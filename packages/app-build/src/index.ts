export { type BuildResult, buildApplication, draftApplication } from './build-application.ts';
export { checkSource, type Finding } from './checks/check-source.ts';
export { RULES, type RuleName } from './checks/rules.ts';
export { BuildError } from './errors.ts';
export { type Lock, readLock, writeLock } from './lock-file.ts';

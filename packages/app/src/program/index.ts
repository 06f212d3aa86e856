export * from '../forms/description.ts';
export * from '../host.ts';
export * from '../manifest.ts';
export * from './program.ts';

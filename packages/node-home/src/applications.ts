/** Artifacts of applications: of genesis, accepted for upgrades, sent by peers. */
export {
  type FoundingApplication,
  foundingApplication,
  inGenesis,
  readArtifact,
  readFoundingApplications,
  requireApplications,
} from './folder/applications.ts';
export {
  acceptArtifact,
  keepAccepted,
  keepApplications,
  keepFetched,
  manifestsOf,
  newestHere,
  readAccepted,
  readAcceptedIfAny,
  readFetched,
  removeFetched,
} from './folder/artifact-files.ts';
export {
  type ArtifactTable,
  artifactTable,
  loadApplications,
  type OpenApplications,
  openApplications,
  programsOf,
} from './folder/loaded-applications.ts';

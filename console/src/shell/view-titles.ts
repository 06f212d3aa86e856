/** Titles of the views, and short ones for narrow screens. */
import type { ViewName } from './router.ts';

export interface ViewTitle {
  readonly title: string;
  readonly short: string;
}

export const VIEW_TITLES: Readonly<Record<ViewName, ViewTitle>> = {
  overview: { title: 'Overview', short: 'Overview' },
  timeline: { title: 'Timeline', short: 'Timeline' },
  signatures: { title: 'Signatures', short: 'Votes' },
  peers: { title: 'Peers', short: 'Peers' },
  committee: { title: 'Committee', short: 'Epochs' },
  dissemination: { title: 'Dissemination', short: 'Flow' },
  storage: { title: 'Storage', short: 'Disk' },
  explorer: { title: 'Explorer', short: 'Explore' },
  applications: { title: 'Applications', short: 'Apps' },
  try: { title: 'Try it', short: 'Try it' },
  fleet: { title: 'Fleet', short: 'Fleet' },
};

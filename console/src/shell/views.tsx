/** The code of all but the first view is fetched later. */
import type { ReactNode } from 'react';
import { OverviewView } from '../views/overview/overview-view.tsx';
import { atOnce, later, type ViewCode } from './later.tsx';
import type { ViewName } from './router.ts';
import { VIEW_TITLES, type ViewTitle } from './view-titles.ts';

interface ViewEntry extends ViewCode, ViewTitle {
  readonly icon: ReactNode;
}

export const VIEWS: Readonly<Record<ViewName, ViewEntry>> = {
  overview: {
    ...VIEW_TITLES.overview,
    icon: <path d="M2.5 12.5h3l2.5-8 4 12 2.5-7h3" />,
    ...atOnce(OverviewView),
  },
  timeline: {
    ...VIEW_TITLES.timeline,
    icon: <path d="M4 16V9M8 16V5M12 16v-8M16 16V4" />,
    ...later(async () => (await import('../views/timeline/timeline-view.tsx')).TimelineView),
  },
  signatures: {
    ...VIEW_TITLES.signatures,
    icon: <path d="M3 15.5h14M4 12c3 0 3-8 5.5-8 2.5 0-.5 8 2 8 1.5 0 1.5-3 3-3 1 0 1 2 2.5 2" />,
    ...later(async () => (await import('../views/signatures/signatures-view.tsx')).SignaturesView),
  },
  peers: {
    ...VIEW_TITLES.peers,
    icon: <path d="M10 3.5v5M5.5 14.5 9 10.5M14.5 14.5 11 10.5M10 2.5h.01M4.5 16h.01M15.5 16h.01M10 9.5h.01" />,
    ...later(async () => (await import('../views/peers/peers-view.tsx')).PeersView),
  },
  committee: {
    ...VIEW_TITLES.committee,
    icon: (
      <path d="M7 8.5a2.5 2.5 0 1 1 0-5 2.5 2.5 0 0 1 0 5ZM2.5 16c0-5 9-5 9 0M13.5 8.5a2 2 0 1 0-1-3.8M13 11.2c2.5-.3 4.5 1.5 4.5 4.8" />
    ),
    ...later(async () => (await import('../views/committee/committee-view.tsx')).CommitteeView),
  },
  dissemination: {
    ...VIEW_TITLES.dissemination,
    icon: <path d="M2.5 5h4c4 0 4 5 8 5h3M2.5 15h4c4 0 4-5 8-5M15 7.5l2.5 2.5-2.5 2.5" />,
    ...later(async () => (await import('../views/dissemination/dissemination-view.tsx')).DisseminationView),
  },
  storage: {
    ...VIEW_TITLES.storage,
    icon: <path d="M4 5.5c0-1.7 12-1.7 12 0v9c0 1.7-12 1.7-12 0v-9ZM4 5.5c0 1.7 12 1.7 12 0M4 10c0 1.7 12 1.7 12 0" />,
    ...later(async () => (await import('../views/storage/storage-view.tsx')).StorageView),
  },
  explorer: {
    ...VIEW_TITLES.explorer,
    icon: <path d="m13 13 4 4M8.5 14.5a6 6 0 1 1 0-12 6 6 0 0 1 0 12Z" />,
    ...later(async () => (await import('../views/explorer/explorer-view.tsx')).ExplorerView),
  },
  applications: {
    ...VIEW_TITLES.applications,
    icon: <path d="M3.5 5.5h13v9h-13ZM3.5 8.5h13M6 11l1.5 1.2L6 13.4M9.5 13.4h3" />,
    ...later(async () => (await import('../views/applications/applications-view.tsx')).ApplicationsView),
  },
  try: {
    ...VIEW_TITLES.try,
    icon: <path d="M3 10h11M10 5.5 14.5 10 10 14.5M17.5 4v12" />,
    ...later(async () => (await import('../views/try/try-view.tsx')).TryView),
  },
  fleet: {
    ...VIEW_TITLES.fleet,
    icon: <path d="M3.5 3.5h5v5h-5ZM11.5 3.5h5v5h-5ZM3.5 11.5h5v5h-5ZM11.5 11.5h5v5h-5Z" />,
    ...later(async () => (await import('../views/fleet/fleet-view.tsx')).FleetView),
  },
};

/** Call once the page is drawn and idle. */
export function prefetchViews(): void {
  for (const { prefetch } of Object.values(VIEWS)) prefetch();
}

import { ROUTE_NAMES, ROUTE_TABLE, type RouteName } from '@slipstream/schema';

const ROUTES = ROUTE_NAMES.map((name) => {
  const { path } = ROUTE_TABLE[name];
  const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
  return { methods: methodsOfRoute(name), path, pattern, isFixed: !path.includes('{') };
});

/** Such a path never counts as another route's parameter, whatever the method. */
const FIXED_PATHS: ReadonlySet<string> = new Set(ROUTES.filter(({ isFixed }) => isFixed).map(({ path }) => path));

function methodsOf(url: string): readonly string[] {
  const path = pathOf(url);
  const isFixed = FIXED_PATHS.has(path);
  const here = ROUTES.filter((route) => (isFixed ? route.path === path : route.pattern.test(path)));
  return [...new Set(here.flatMap(({ methods }) => methods))];
}

/** For HEAD on an endless event stream fastify would open it and send nothing. */
function methodsOfRoute(name: RouteName): readonly string[] {
  const { method, media } = ROUTE_TABLE[name];
  return method === 'GET' && !media?.includes('text/event-stream') ? ['GET', 'HEAD'] : [method];
}

/**
 * For a 405; undefined: none. `matched`: by the router, in which a parameter also matches another route's fixed path (GET
 * /v1/transactions/batch).
 */
export function methodsInstead(method: string, url: string, matched: boolean): readonly string[] | undefined {
  if (matched && !FIXED_PATHS.has(pathOf(url))) return undefined;
  const methods = methodsOf(url);
  return methods.length === 0 || methods.includes(method) ? undefined : methods;
}

/** `{name}` to `:name`. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function pathOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

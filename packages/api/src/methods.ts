/** Which methods an address takes, after the route table. */
import { ROUTE_NAMES, ROUTE_TABLE, type RouteName } from '@slipstream/schema';

const ROUTES = ROUTE_NAMES.map((name) => {
  const { path } = ROUTE_TABLE[name];
  const pattern = new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
  return { methods: methodsOfRoute(name), path, pattern, isFixed: !path.includes('{') };
});

/** Paths without parameters: one of them is no other route's parameter, whatever its method. */
const FIXED_PATHS: ReadonlySet<string> = new Set(ROUTES.filter(({ isFixed }) => isFixed).map(({ path }) => path));

/** Methods of the routes at this address; none when there is no route. */
function methodsOf(url: string): readonly string[] {
  const path = pathOf(url);
  const isFixed = FIXED_PATHS.has(path);
  const here = ROUTES.filter((route) => (isFixed ? route.path === path : route.pattern.test(path)));
  return [...new Set(here.flatMap(({ methods }) => methods))];
}

/** A stream of events has no end, and so no HEAD: it would open one and send nothing of it. */
function methodsOfRoute(name: RouteName): readonly string[] {
  const { method, media } = ROUTE_TABLE[name];
  return method === 'GET' && !media?.includes('text/event-stream') ? ['GET', 'HEAD'] : [method];
}

/**
 * The methods to name in a 405, when this request is one: `matched` says whether the router found a route. A route with a
 * parameter also matches the fixed path of another: GET /v1/transactions/batch is no transaction.
 */
export function methodsInstead(method: string, url: string, matched: boolean): readonly string[] | undefined {
  if (matched && !FIXED_PATHS.has(pathOf(url))) return undefined;
  const methods = methodsOf(url);
  return methods.length === 0 || methods.includes(method) ? undefined : methods;
}

/** The table's `{name}` as the router writes a parameter. */
export function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function pathOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
}

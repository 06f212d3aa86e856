import { createCheck, ProblemSchema, ROUTE_TABLE, type RouteName } from '@slipstream/schema';
import { expect } from 'vitest';

export async function expectAnswer(name: RouteName, response: Response, status = 200): Promise<unknown> {
  const json: unknown = await response.json();
  expect({ status: response.status, json }).toMatchObject({ status });
  const schema = ROUTE_TABLE[name].answers[status];
  if (schema === undefined) throw new Error(`${name} declares no answer ${status}`);
  expect(createCheck(schema)(json)).toEqual({ ok: true, value: json });
  return json;
}

export async function expectProblem(response: Response, status: number, code: string): Promise<unknown> {
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  const json: unknown = await response.json();
  expect(json).toMatchObject({ status, code });
  expect(response.status).toBe(status);
  expect(createCheck(ProblemSchema)(json).ok).toBe(true);
  return json;
}

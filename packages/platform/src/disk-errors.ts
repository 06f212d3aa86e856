import { DiskError, type DiskErrorCode } from '@slipstream/ports';

const CODES: Readonly<Record<string, DiskErrorCode>> = {
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  EFBIG: 'no-space',
  ENOENT: 'not-found',
  ENOTDIR: 'not-found',
  EEXIST: 'exists',
  ENOTEMPTY: 'exists',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  EBADF: 'closed',
};

export function asDiskError(cause: unknown, operation: string, path: string): DiskError {
  if (cause instanceof DiskError) return cause;
  const systemCode = systemCodeOf(cause);
  const code = CODES[systemCode] ?? 'io';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DiskError(code, `${operation} of ${path || 'the root'} failed: ${reason}`, { path, systemCode }, cause);
}

export async function call<T>(operation: string, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw asDiskError(cause, operation, path);
  }
}

export function systemCodeOf(cause: unknown): string {
  const code: unknown = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : '';
  return typeof code === 'string' ? code : '';
}

import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The parts of a request that decide whether it is looked at. */
export type Arrival = Pick<IncomingMessage, 'method' | 'url' | 'headersDistinct'>

/** Returns the token of a request; undefined if it has none. */
export function bearerOf({ headersDistinct }: Pick<Arrival, 'headersDistinct'>): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/-]{1,512}=*)$/i.exec(headersDistinct.authorization?.[0] ?? '')?.[1]
}

/** The first header of some that is there twice, which two readers could take for different ones. */
export function doubledOf(
  { headersDistinct }: Pick<Arrival, 'headersDistinct'>,
  names: readonly string[],
): string | undefined {
  return names.find((name) => (headersDistinct[name]?.length ?? 0) > 1)
}

/**
 * The one of some that a hash is of. All are compared, each in constant time, so that how long it takes says nothing.
 *
 * @param hash of 32 bytes, as each of theirs
 */
export function holderOf<T extends { readonly hash: Buffer }>(
  hash: Buffer,
  holders: readonly T[],
): T | undefined {
  let found: T | undefined
  for (const holder of holders) if (timingSafeEqual(holder.hash, hash)) found = holder
  return found
}

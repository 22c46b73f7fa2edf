/** The client of a service of elfmem, for every runtime that has `fetch`: Node, Bun, Deno, browsers and workers. */
import type { Memory } from '../engine/memory.ts'
import type { RemoteOptions } from './address.ts'
import { openRemote } from './remote.ts'

export type { Memory, Watched, WatchOptions } from '../engine/memory.ts'
export { ElfmemError, type ErrorCode } from '../errors.ts'
export type { RemoteOptions } from './address.ts'

/**
 * Opens the memory that a token opens at a service. It has every method that a memory in a file has.
 *
 * @param url `https://…`; `http://` only for this machine, unless `allowInsecure` is true
 */
export async function openMemory(url: string, options: RemoteOptions): Promise<Memory> {
  // The methods of the operations are made from their names.
  return (await openRemote(url, options)) as unknown as Memory
}

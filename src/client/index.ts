/** The client of a service of elfmem, for every runtime that has `fetch`: Node, Bun, Deno, browsers and workers. */
export type { Memory, Watched, WatchOptions } from '../engine/memory.ts'
export { ElfmemError, type ErrorCode } from '../errors.ts'
export type { RemoteOptions } from './address.ts'
export { openRemote as openMemory } from './remote.ts'

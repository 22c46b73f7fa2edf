import { ElfmemError } from '../../errors.ts'

/** The module of SQLite; undefined in a runtime without it, where an import would fail before anybody could say why. */
const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined

/** True if the module can copy a database beside the event loop: not in Node 22 before 22.16. */
export const canCopy = sqlite !== undefined && 'backup' in sqlite

/** The module of SQLite; throws CONFIG_INVALID where the runtime has none. */
export function requireSqlite(): typeof import('node:sqlite') {
  if (sqlite !== undefined) return sqlite
  throw new ElfmemError(
    'CONFIG_INVALID',
    `${runtimeName()} has no node:sqlite, which elfmem keeps its memory in.`,
    {
      recovery: 'Use Node 22.13 or newer, or a version of Bun or Deno that has node:sqlite.',
    },
  )
}

function runtimeName(): string {
  const { bun, deno, node } = process.versions
  if (bun !== undefined) return `Bun ${bun}`
  return deno === undefined ? `Node ${node}` : `Deno ${deno}`
}

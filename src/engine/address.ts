import { ElfmemError } from '../errors.ts'

/** Returns true if the place of a memory is a PostgreSQL database and not a file. */
export function isPostgresUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//i.test(place)
}

/** Returns a place that is in no database as a path; throws `INVALID_INPUT` for the address of anything else. */
export function pathIn(place: string): string {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(place)) return place
  const message = 'The place of a memory is a path or postgres://…, and this is another address.'
  const recovery = 'Name one of them. A service takes --url, or in a program openMemory(url, { token }).'
  throw new ElfmemError('INVALID_INPUT', message, { recovery })
}

/** Returns a name if a memory may have it; throws `INVALID_INPUT` otherwise. */
export function memoryName(name: string): string {
  if (/^(?!\.+$)[a-z0-9._-]{1,64}$/.test(name)) return name
  throw new ElfmemError('INVALID_INPUT', 'This name is none that a memory in a database can have.', {
    recovery: 'Choose 1 to 64 of a-z, 0-9, dot, dash and underscore, and not dots alone.',
    details: { arguments: ['memory'], given: name.slice(0, 80) },
  })
}

/** Returns where an address and a name of a memory mean, and its name for people; a name may also stand behind the address, as in `postgres://host/db#name`. */
export function serverPlace(address: string, memory: string | undefined) {
  const [url = '', behind] = address.split(/#(?=[a-z0-9._-]*$)/)
  if (memory !== undefined && behind !== undefined && memory !== behind)
    throw new ElfmemError('INVALID_INPUT', 'Two memories of one database are named.', {
      recovery: 'Name the memory behind the address or apart from it.',
    })
  const server: ServerPlace = { url, memory: memoryName(memory ?? (behind || 'default')) }
  return { path: shownPlace(server), server }
}

/** The refusal of a name for a memory where a file is used, which holds one memory alone. */
export function withoutDatabase(memory: string): ElfmemError {
  const file = /[\\/]|\.db$/.test(memory) ? `For a file say --db ${memory}. ` : ''
  return new ElfmemError(
    'INVALID_INPUT',
    '--memory names a memory in a database, and no database is named.',
    {
      recovery: `${file}For a database add --db postgres://host/database, for tokens of a service --memories DIR or --store.`,
      details: { arguments: ['memory'] },
    },
  )
}

/** A database place is where a memory lies if it is in no file. */
export interface ServerPlace {
  /** The address with all that it takes to connect, which nobody is shown. */
  readonly url: string
  readonly memory: string
}

/** Returns the place of a memory for people: host, port, database and memory, without user, password and parameters. */
export function shownPlace({ url, memory }: ServerPlace): string {
  return `${shownUrl(url)}#${memory}`
}

/** Returns host, port and database of an address. */
export function shownUrl(url: string): string {
  try {
    // A web address has no user without a host, as that of a socket may have.
    const { host, pathname, searchParams } = new URL(url.replace('@/', '@local/'))
    const socket = searchParams.get('host')
    return `postgres://${socket ?? host}${pathname}`
  } catch {
    throw new ElfmemError('CONFIG_INVALID', 'The address of the database cannot be read.', {
      recovery: 'Write it as postgres://user@host:5432/database, with special signs of a password as %40.',
    })
  }
}

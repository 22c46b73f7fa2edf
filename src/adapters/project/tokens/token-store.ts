import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { normaliseScope } from '../../../block/block.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { systemFiles } from '../files.ts'
import { makeUserFolder, userUnwritable } from '../user-records.ts'

/** A token: the rights of its holder, and the hash by which it is recognised. The token itself is not kept. */
export interface TokenRecord {
  /** The name in the log; lower-case letters, digits, dots and dashes. */
  readonly name: string
  /** The capability: owner, agent or reader. */
  readonly as: string
  /** The scope that no call leaves; absent: the whole memory. */
  readonly scope?: string
  /** The set of tools, or names with commas; absent: those of the server. */
  readonly tools?: string
  /** SHA-256 of the token, hexadecimal. The token has 256 random bits, which no hash has to slow down the search for. */
  readonly sha256: string
  /** ISO-8601 UTC. */
  readonly madeAt: string
  /** True: a server made it, because there was none. */
  readonly isAutomatic?: true
}

/** The tokens that open one memory to clients over HTTP. */
export interface TokenStore {
  /** Lists all tokens, by name. A file that is not the user's, or that cannot be read as a token, is left out. */
  list(): readonly TokenRecord[]
  /** Differs after each token that was added or revoked; undefined as long as that cannot be seen. */
  mark(): string | undefined
  /** Makes a token and returns it; only its hash is kept. Throws `INVALID_INPUT` when there is one of the name. */
  add(facts: Omit<TokenRecord, 'sha256' | 'madeAt'>): string
  /** Adds a token and writes it to a file that only the user can read; returns the path. */
  addInFile(facts: Omit<TokenRecord, 'sha256' | 'madeAt'>): string
  /** True if it was there. */
  revoke(name: string): boolean
}

/** The most tokens that are read; nobody has so many. */
const LISTED_MAX = 1_000
const TOKEN_BYTES = 32
const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/
/** The steps of the time of a folder's last change, on the coarsest file systems. */
const COARSE_MS = 2_000

/** The hash by which a token is known. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * The tokens of a memory in the user's folder, one small file each: two writers never lose each other's, and a name is taken
 * by who makes its file. Not in the project's folder, which may have come from somebody else.
 *
 * @param memory the path of the memory
 */
export function openTokenStore(home: string, memory: string, uid: number | undefined): TokenStore {
  const folder = join(
    home,
    '.elfmem',
    'tokens',
    createHash('sha256').update(memory).digest('hex').slice(0, 32),
  )
  const fileOf = (name: string) => join(folder, `${name}.json`)
  const textOf = (name: string) => join(folder, `${name}.token`)
  const rules = { noLink: true, ...(uid === undefined ? {} : { owners: [uid] }) }
  const read = (name: string) => {
    const record = attempt(() => recordOf(systemFiles.read(fileOf(name), rules), memory))
    return record?.name === name ? record : undefined
  }
  const write = ({ scope, ...facts }: Omit<TokenRecord, 'sha256' | 'madeAt'>, token: string) => {
    const sha256 = tokenHash(token).toString('hex')
    const spelled = scope === undefined ? {} : { scope: normaliseScope(scope) }
    const record = { memory, ...facts, ...spelled, sha256, madeAt: new Date().toISOString() }
    makeUserFolder(folder)
    put(fileOf(mustBeName(facts.name)), `${JSON.stringify(record)}\n`)
  }
  return {
    list: () => {
      mustBeOwn(folder, uid)
      return systemFiles
        .names(folder)
        .filter((name) => name.endsWith('.json'))
        .slice(0, LISTED_MAX)
        .flatMap((name) => read(name.slice(0, -'.json'.length)) ?? [])
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    mark: () => markOf(folder),
    add: (facts) => {
      const token = newToken()
      write(facts, token)
      return token
    },
    addInFile: (facts) => {
      const token = newToken()
      write(facts, token)
      const path = textOf(facts.name)
      rmSync(path, { force: true })
      put(path, `${token}\n`)
      return path
    },
    revoke: (name) => {
      if (!NAME.test(name) || read(name) === undefined) return false
      rmSync(fileOf(name), { force: true })
      rmSync(textOf(name), { force: true })
      return true
    },
  }
}

/** Makes a token; its prefix tells people and secret scanners what it is. */
function newToken(): string {
  return `elfmem_${randomBytes(TOKEN_BYTES).toString('base64url')}`
}

function mustBeName(name: string): string {
  if (NAME.test(name)) return name
  throw new ElfmemError('INVALID_INPUT', `"${name}" cannot name a token.`, {
    recovery: 'Name it with lower-case letters, digits, dots and dashes, 63 at most, such as ci.',
    details: { given: name },
  })
}

/** Undefined after a change so new that another one may leave no trace. */
function markOf(folder: string): string | undefined {
  const found = lstatSync(folder, { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return 'none'
  const age = Date.now() - Number(found.mtimeMs)
  return age < COARSE_MS ? undefined : `${found.dev}:${found.ino}:${found.mtimeNs}`
}

/** A folder that others may write to could hold tokens of theirs. */
function mustBeOwn(folder: string, uid: number | undefined): void {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return
  const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isOwn) return
  throw new ElfmemError('CONFIG_INVALID', `${folder} is not a folder that only you can write to.`, {
    recovery: 'Look at what is in it, then remove it and make the tokens again.',
    details: { file: folder },
  })
}

function put(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw userUnwritable(file, cause)
    throw new ElfmemError('INVALID_INPUT', `There is a token of this name: ${file}.`, {
      recovery: 'Choose another name, or revoke that token first.',
      cause,
    })
  }
}

function recordOf(text: string | undefined, memory: string): TokenRecord | undefined {
  if (text === undefined) return undefined
  const found = JSON.parse(text) as Readonly<Record<string, unknown>>
  const { name, as, scope, tools, sha256, madeAt, isAutomatic } = found
  if (found.memory !== memory || typeof name !== 'string' || !NAME.test(name)) return undefined
  if (typeof as !== 'string' || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined
  // A token that was narrowed in a way that cannot be read is none, not a wider one.
  if (![scope, tools].every((each) => each === undefined || typeof each === 'string')) return undefined
  return {
    ...{ name, as, sha256 },
    ...(scope === undefined ? {} : { scope: normaliseScope(scope as string) }),
    ...(tools === undefined ? {} : { tools: tools as string }),
    madeAt: typeof madeAt === 'string' ? madeAt : '',
    ...(isAutomatic === undefined ? {} : { isAutomatic: true }),
  }
}

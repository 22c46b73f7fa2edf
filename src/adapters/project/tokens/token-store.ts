import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { normaliseScope } from '../../../block/block.ts'
import { defined } from '../../../block/text.ts'
import { memoryName } from '../../../engine/address.ts'
import type { TokenIndex, TokenRecord } from '../../../engine/ports.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { systemFiles } from '../files.ts'
import { makeUserFolder, userUnwritable } from '../user-records.ts'

/** A token store of files, one for each token. A file that is not the user's is left out. */
export interface TokenFiles extends TokenIndex {
  list(): readonly TokenRecord[]
  add(record: TokenRecord): void
  /** Adds a token and writes it to a file that only the user can read; returns the path. */
  addInFile(facts: TokenFacts): string
  revoke(name: string): boolean
}

/** Token facts are what is known of a token before it is made. */
export type TokenFacts = Omit<TokenRecord, 'sha256' | 'madeAt'>

const TOKEN_BYTES = 32
const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/
/** The steps of the time of a folder's last change, on the coarsest file systems. */
const COARSE_MS = 2_000

/** Returns the hash by which a token is known, hexadecimal. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/**
 * Opens the tokens of a memory's file. They lie in the user's folder, not in the project's, which may have come from somebody else.
 *
 * @param memory the path of the memory
 */
export function openTokenStore(home: string, memory: string, uid: number | undefined): TokenFiles {
  const name = tokenHash(memory).slice(0, 32)
  const isOurs = (named: unknown) => named === memory
  return openTokenFiles(join(home, '.elfmem', 'tokens', name), { uid, isOurs })
}

/** Opens the tokens of a service with a folder of memories, in which they lie. */
export function openServiceTokens(folder: string, uid: number | undefined): TokenFiles {
  return openTokenFiles(join(folder, 'tokens'), { uid, isOurs: isMemoryName })
}

function isMemoryName(name: unknown): boolean {
  return typeof name === 'string' && attempt(() => memoryName(name)) !== undefined
}

/** Opens a folder of one small file for each token: two writers never lose each other's, and a name is taken by who makes its file. */
function openTokenFiles(
  folder: string,
  { uid, isOurs }: { readonly uid: number | undefined; readonly isOurs: (memory: unknown) => boolean },
): TokenFiles {
  const fileOf = (name: string) => join(folder, `${name}.json`)
  const textOf = (name: string) => join(folder, `${name}.token`)
  const rules = { noLink: true, ...(uid === undefined ? {} : { owners: [uid] }) }
  const read = (name: string) => {
    const record = attempt(() => recordOf(systemFiles.read(fileOf(name), rules), isOurs))
    return record?.name === name ? record : undefined
  }
  let mark: string | undefined
  let known = new Map<string, { readonly stamp: string; readonly record: TokenRecord | undefined }>()
  let names = new Map<string, string>()
  /** Reads the files that changed, unless the folder is as it was and nothing else says that one changed. */
  const look = (isChanged: boolean) => {
    const now = markOf(folder)
    if (!isChanged && now === mark) return
    const listed = systemFiles.names(folder).filter((name) => name.endsWith('.json'))
    // If two records have one hash, the first by name counts.
    listed.sort().reverse()
    known = new Map(
      listed.map((file) => {
        const name = file.slice(0, -'.json'.length)
        const [stamp, before] = [markOf(fileOf(name)), known.get(name)]
        return [name, before?.stamp === stamp ? before : { stamp, record: read(name) }]
      }),
    )
    names = new Map([...known].flatMap(([name, { record }]) => (record ? [[record.sha256, name]] : [])))
    mark = isSettled(folder) ? now : undefined
  }
  const add = (record: TokenRecord) => {
    makeUserFolder(folder)
    put(fileOf(record.name), `${JSON.stringify(record)}\n`)
  }
  return {
    add,
    // A token has 256 random bits: how long the look-up of a hash takes tells nothing that helps to guess another one.
    find: async (sha256) => {
      mustBeOwn(folder, uid)
      const name = names.get(sha256)
      const isChanged = name !== undefined && markOf(fileOf(name)) !== known.get(name)?.stamp
      if (name === undefined || isChanged) look(isChanged)
      return known.get(names.get(sha256) ?? '')?.record
    },
    list: () => {
      mustBeOwn(folder, uid)
      look(true)
      return [...known.values()].flatMap(({ record }) => record ?? []).reverse()
    },
    addInFile: (facts) => {
      const { token, record } = newToken(facts)
      add(record)
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

/** Makes a token, whose prefix tells people and secret scanners what it is, and the record that is kept of it. */
export function newToken(facts: TokenFacts): { readonly token: string; readonly record: TokenRecord } {
  const token = `elfmem_${randomBytes(TOKEN_BYTES).toString('base64url')}`
  const spelled = facts.scope === undefined ? {} : { scope: normaliseScope(facts.scope) }
  const record = { ...facts, ...spelled, name: mustBeName(facts.name), sha256: tokenHash(token) }
  return { token, record: { ...record, madeAt: new Date().toISOString() } }
}

/** Returns true if a token opens nothing any more at a time, in milliseconds since 1970. */
export function isExpired({ expiresAt }: Pick<TokenRecord, 'expiresAt'>, now: number): boolean {
  // A time that cannot be read is over.
  return expiresAt !== undefined && !(Date.parse(expiresAt) > now)
}

function mustBeName(name: string): string {
  if (NAME.test(name)) return name
  throw new ElfmemError('INVALID_INPUT', `"${name}" cannot name a token.`, {
    recovery: 'Name it with lower-case letters, digits, dots and dashes, 63 at most, such as ci.',
    details: { given: name },
  })
}

/** Returns what differs after each change of a folder or file. */
function markOf(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? 'none' : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':')
}

/** Returns false after a change of a folder so new that another one may leave no trace. */
function isSettled(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found === undefined || Date.now() - found.mtimeMs >= COARSE_MS
}

/** Throws `CONFIG_INVALID` for a folder that others may write to: it could hold what is theirs. */
export function mustBeOwn(folder: string, uid: number | undefined): void {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return
  const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0)
  if (found.isDirectory() && isOwn) return
  throw new ElfmemError('CONFIG_INVALID', `${folder} is not a folder that only you can write to.`, {
    recovery: 'Look at what is in it, then take write access from others, or make it anew.',
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

function recordOf(text: string | undefined, isOurs: (memory: unknown) => boolean): TokenRecord | undefined {
  if (text === undefined) return undefined
  const found = JSON.parse(text) as Readonly<Record<string, unknown>>
  const { name, memory, as, scope, tools, sha256, madeAt, expiresAt, isAutomatic } = found
  if (!isOurs(memory) || typeof name !== 'string' || !NAME.test(name)) return undefined
  if (typeof as !== 'string' || typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined
  // A token that was narrowed in a way that cannot be read is none, not a wider one.
  const narrowed = { scope, tools, expiresAt }
  if (!Object.values(narrowed).every((each) => each === undefined || typeof each === 'string'))
    return undefined
  return {
    ...{ name, memory: memory as string, as, sha256 },
    ...(defined(narrowed) as Pick<TokenRecord, 'scope' | 'tools' | 'expiresAt'>),
    ...(scope === undefined ? {} : { scope: normaliseScope(scope as string) }),
    madeAt: typeof madeAt === 'string' ? madeAt : '',
    ...(isAutomatic === undefined ? {} : { isAutomatic: true }),
  }
}

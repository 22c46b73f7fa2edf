import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { normaliseScope } from '../../../block/block.ts'
import { defined } from '../../../block/text.ts'
import { memoryName } from '../../../engine/address.ts'
import type { TokenIndex, TokenRecord } from '../../../engine/ports.ts'
import { attempt, ElfmemError, fileFailure } from '../../../errors.ts'
import { systemFiles } from '../files.ts'
import { makeUserFolder } from '../trust/trust-store.ts'

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
  return openTokenFiles(join(home, '.elfmem', 'tokens', name), uid, (named) => named === memory)
}

/** Opens the tokens of a service with a folder of memories, in which they lie. */
export function openServiceTokens(folder: string, uid: number | undefined): TokenFiles {
  const isName = (named: unknown) =>
    typeof named === 'string' && attempt(() => memoryName(named)) !== undefined
  return openTokenFiles(join(folder, 'tokens'), uid, isName)
}

/** Opens a folder of one small file for each token, named by the hash of it: a look-up reads one file, as it is now. */
function openTokenFiles(
  folder: string,
  uid: number | undefined,
  isOurs: (memory: unknown) => boolean,
): TokenFiles {
  const fileOf = (sha256: string) => join(folder, `${sha256}.json`)
  const textOf = (name: string) => join(folder, `${name}.token`)
  const read = (sha256: string) => {
    const rules = { noLink: true, owner: uid }
    const record = attempt(() => recordOf(systemFiles.read(fileOf(sha256), rules), isOurs))
    return record?.sha256 === sha256 ? record : undefined
  }
  const list = () => {
    mustBeOwn(folder, uid)
    const hashes = systemFiles.names(folder).map((name) => name.replace(/\.json$/, ''))
    return hashes.flatMap((each) => read(each) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))
  }
  const put = (file: string, text: string) => {
    try {
      writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true })
    } catch (cause) {
      throw fileFailure(cause, file, 'written')
    }
  }
  /** Keeps a token, and its text in a file beside the record if it is given. */
  const add = (record: TokenRecord, token?: string) => {
    if (list().some(({ name }) => name === record.name))
      throw new ElfmemError('INVALID_INPUT', `There is a token of this name: ${record.name}.`, {
        recovery: 'Choose another name, or revoke that token first.',
      })
    makeUserFolder(folder)
    const path = textOf(record.name)
    rmSync(path, { force: true })
    if (token !== undefined) put(path, `${token}\n`)
    put(fileOf(record.sha256), `${JSON.stringify(record)}\n`)
    return path
  }
  return {
    // A token has 256 random bits: how long the look-up of a hash takes tells nothing that helps to guess another one.
    find: async (sha256) => {
      mustBeOwn(folder, uid)
      return read(sha256)
    },
    list,
    add: (record) => void add(record),
    addInFile: (facts) => {
      const { token, record } = newToken(facts)
      return add(record, token)
    },
    revoke: (name) => {
      const revoked = list().filter((each) => each.name === name)
      for (const { sha256 } of revoked) rmSync(fileOf(sha256), { force: true })
      if (revoked.length > 0) rmSync(textOf(name), { force: true })
      return revoked.length > 0
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

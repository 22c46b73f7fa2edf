import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { shellWord, shown } from '../../../block/text.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import type { ProjectFiles } from '../files.ts'
import type { TrustedProject, TrustStore } from './trust-store.ts'

/** The database of a project, and the beginning of the names of all that belongs to it. */
export const PROJECT_DATABASE = 'memory.db'

/** Says if a project's memory and config may be used; `path` is that of its `.elfmem`, without links. */
export type Standing =
  | { readonly state: 'trusted'; readonly path: string; readonly entry: TrustedProject }
  /** The owner has not said so; `trust` would do. */
  | { readonly state: 'untrusted'; readonly path: string; readonly reason: string }
  /** The folder cannot be trusted as it is, for the reason given. */
  | { readonly state: 'unfit'; readonly reason: string }

/** The facts about files and their owners. */
export interface Judging {
  readonly files: ProjectFiles
  /** Numeric id of this user; undefined where ownership is not checked. */
  readonly uid?: number | undefined
  readonly trustStore: Pick<TrustStore, 'find'>
}

/** Returns whether the `.elfmem` folder of a project is trusted, untrusted or unfit. It only looks. */
export function standingOf(elfmem: string, { files, uid, trustStore }: Judging): Standing {
  const unfit = unfitness(elfmem, { files, uid })
  if (unfit !== undefined) return { state: 'unfit', reason: unfit }
  const path = join(files.realPath(dirname(elfmem)), basename(elfmem))
  const entry = trustStore.find(path)
  if (entry === undefined) return { state: 'untrusted', path, reason: 'you have not said that it is trusted' }
  if (entry.config === configHash(elfmem, { files, uid })) return { state: 'trusted', path, entry }
  return { state: 'untrusted', path, reason: 'its config.yaml is not the one that you trusted' }
}

/**
 * Returns the SHA-256 of a project's `config.yaml`, by which trust knows it again; undefined without one. One that may
 * not be read steers nothing and counts as empty.
 */
export function configHash(
  elfmem: string,
  { files, uid }: Pick<Judging, 'files' | 'uid'>,
): string | undefined {
  const path = join(elfmem, 'config.yaml')
  if (files.facts(path) === undefined) return undefined
  const text = attempt(() => files.read(path, { noLink: true, owner: uid })) ?? ''
  return createHash('sha256').update(text).digest('hex')
}

/** The refusal of a folder that cannot be trusted as it is. */
export function unfit(elfmem: string, { reason }: Extract<Standing, { state: 'unfit' }>): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${elfmem} cannot be trusted: ${reason}.`, {
    recovery: 'A project needs a folder, a database and a config of your own, and none of them a link.',
    details: { folder: elfmem, reason },
  })
}

/** Returns why nobody can trust a folder as a project's memory; undefined if nothing speaks against it. */
function unfitness(elfmem: string, { files, uid }: Pick<Judging, 'files' | 'uid'>): string | undefined {
  const names = files.names(elfmem).filter((name) => name.startsWith(PROJECT_DATABASE))
  for (const path of [elfmem, ...names.map((name) => join(elfmem, name))]) {
    const facts = files.facts(path)
    if (facts === undefined) return `there is no ${path}`
    if (facts.kind === 'link') return `${path} is a link`
    if (facts.kind === 'other' || (path === elfmem && facts.kind !== 'folder'))
      return `${path} is no regular file or folder`
    if (uid !== undefined && facts.owner !== undefined && facts.owner !== uid)
      return `${path} belongs to another user`
  }
  return undefined
}

/** Characters of a path in a notice; a longer one is of somebody who wants to be read. */
const PATH_LENGTH = 160

/**
 * Says which memory is used in the place of a project's, and what to do. One line, harmless to a terminal and short for
 * a model: the project's path is of somebody else's choosing.
 *
 * @param elfmem the project's `.elfmem` folder
 */
export function noticeOf(
  standing: Exclude<Standing, { state: 'trusted' }>,
  elfmem: string,
  used: string,
): string {
  const advice =
    standing.state === 'unfit'
      ? 'It cannot be trusted as it is.'
      : `If it is yours, run \`${trustCommand(dirname(elfmem))}\`.`
  return `This is the memory ${plain(used)}, not the project's: ${plain(elfmem)} is not used, because ${plain(standing.reason)}. ${advice}`
}

/** The command that trusts the project in a directory. */
export function trustCommand(root: string): string {
  return plain(root) === root ? `elfmem trust ${shellWord(root)}` : 'elfmem trust'
}

function plain(text: string): string {
  const line = shown(text).replace(/[\s`]+/g, ' ')
  return line.length > PATH_LENGTH ? `${line.slice(0, PATH_LENGTH)}…` : line
}

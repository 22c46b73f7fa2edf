import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { shellWord, shown } from '../../../block/text.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { upwards } from '../discover.ts'
import type { ProjectFiles } from '../files.ts'
import type { TrustedProject, TrustStore } from './trust-store.ts'

/** The database of a project, and the beginning of the names of all that belongs to it. */
export const PROJECT_DATABASE = 'memory.db'

/** A project's `.elfmem` as its owner's list of trusted projects knows it. */
interface ProjectFolder {
  /** The path of the folder, without links. */
  readonly path: string
  /** Device and inode of the folder. */
  readonly id: string
}

/** Says if a project's memory and config may be used. */
export type Standing =
  | { readonly state: 'trusted'; readonly folder: ProjectFolder; readonly entry: TrustedProject }
  /** The owner has not said so; `trust` would do. */
  | { readonly state: 'untrusted'; readonly folder: ProjectFolder; readonly reason: string }
  /** The folder cannot be trusted as it is, for the reason given. */
  | { readonly state: 'unfit'; readonly reason: string }

/** The facts about files and their owners. */
export interface Judging {
  readonly files: ProjectFiles
  /** Numeric id of this user; undefined where ownership is not checked. */
  readonly uid?: number | undefined
  readonly trustStore: Pick<TrustStore, 'find'>
}

/**
 * Returns whether the `.elfmem` folder of a project is trusted, untrusted or unfit. It only looks; costs some twelve calls of the
 * file system.
 */
export function standingOf(elfmem: string, { files, uid, trustStore }: Judging): Standing {
  const found = files.facts(elfmem, 'follow')
  const reason = unfitness(elfmem, { files, uid })
  if (found === undefined || reason !== undefined)
    return { state: 'unfit', reason: reason ?? `there is no ${elfmem}` }
  const folder = { path: join(files.realPath(dirname(elfmem)), basename(elfmem)), id: found.id }
  const entry = trustStore.find(folder.path)
  if (entry === undefined)
    return { state: 'untrusted', folder, reason: 'you have not said that it is trusted' }
  if (entry.id !== folder.id)
    return { state: 'untrusted', folder, reason: 'another folder stands where the trusted one was' }
  if (entry.config !== configHash(elfmem, { files, uid }))
    return { state: 'untrusted', folder, reason: 'its config.yaml is not the one that you trusted' }
  return { state: 'trusted', folder, entry }
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
  const text = attempt(() =>
    files.read(path, { noLink: true, ...(uid === undefined ? {} : { owners: [uid] }) }),
  )
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
}

/** The refusal of a folder that cannot be trusted as it is. */
export function unfit(elfmem: string, { reason }: Extract<Standing, { state: 'unfit' }>): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${elfmem} cannot be trusted: ${reason}.`, {
    recovery: 'A project needs a folder, a database and a config of your own, and none of them a link.',
    details: { folder: elfmem, reason },
  })
}

/** Returns why a folder cannot be trusted as a project's memory by anybody; undefined if nothing speaks against it. */
function unfitness(elfmem: string, world: Pick<Judging, 'files' | 'uid'>): string | undefined {
  const { files, uid } = world
  for (const path of upwards(elfmem)) {
    if (files.facts(path)?.kind !== 'link') continue
    const owners = [files.facts(path)?.owner, files.facts(path, 'follow')?.owner]
    if (!owners.every((owner) => owner === 0 || isOurs(owner, uid)))
      return `${path} is a link of, or to a folder of, another user`
  }
  if (files.facts(elfmem)?.kind === 'link')
    return `${elfmem} is a link, and what it leads to is not of this project`
  const folder = files.facts(elfmem, 'follow')
  if (folder?.kind !== 'folder') return `${elfmem} is no folder`
  if (!isOurs(folder.owner, uid)) return `${elfmem} belongs to another user`
  const database = files.names(elfmem).filter((name) => name.startsWith(PROJECT_DATABASE))
  for (const name of database) {
    const reason = databaseUnfitness(join(elfmem, name), world)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Returns why the database, or a file or folder that belongs to it, is unfit; undefined if none is. */
function databaseUnfitness(path: string, { files, uid }: Pick<Judging, 'files' | 'uid'>): string | undefined {
  const facts = files.facts(path)
  if (facts === undefined) return undefined
  if (facts.kind === 'link') return `${path} is a link`
  const isFolder = facts.kind === 'folder' && basename(path) !== PROJECT_DATABASE
  if (facts.kind !== 'file' && !isFolder) return `${path} is no regular file`
  return isOurs(facts.owner, uid) ? undefined : `${path} belongs to another user`
}

function isOurs(owner: number | undefined, uid: number | undefined): boolean {
  return uid === undefined || owner === undefined || owner === uid
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
  if (plain(root) !== root) return 'elfmem trust'
  return `elfmem trust ${shellWord(root)}`
}

function plain(text: string): string {
  const line = shown(text).replace(/[\s`]+/g, ' ')
  return line.length > PATH_LENGTH ? `${line.slice(0, PATH_LENGTH)}…` : line
}

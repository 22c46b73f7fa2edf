import { createHash } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt } from '../../errors.ts'
import { discoverRoot, upwards } from './discover.ts'
import { type ProjectFiles, systemFiles } from './files.ts'

/** The project that a folder belongs to, as its memories are kept apart from those of others. */
export interface ProjectIdentity {
  /** The name of its scope: that of its folder in letters and digits, and a hash of where its repository lies. */
  readonly scope: string
  /** The folder of the project, without links. */
  readonly root: string
  /** The folder that all its worktrees have in common: that of the repository, without links; else `root`. */
  readonly home: string
}

/** The folder in which the identity of a project is looked for. */
interface Place {
  readonly cwd: string
  readonly home: string
  readonly files?: ProjectFiles
}

/** Signs of a folder's name in the name of a scope. */
const NAME_SIGNS = 48
/** Signs that say something to a shell or in a line for people: all but letters and digits of any script, `.`, `_`, `-`. */
const UNFIT = /[^\p{L}\p{M}\p{Nd}._-]/gu
/** A beginning that a program takes for a flag, and marks without their letter. */
const UNFIT_FIRST = /^[.\p{M}-]+/u
/** Digits of the hash: nobody finds a second folder for one by trying. */
const HASH_DIGITS = 16
/** Bytes of the one line that a `.git` file, and the files of a worktree, have. */
const LINE_BYTES = 8_192

/**
 * The identity of the project around a folder: the nearest git repository below the home directory, else what looks like a
 * project, else the folder itself. Worktrees of one repository are one project, since git itself keeps a list of them. Two
 * clones are two projects, and so is whatever only says that it belongs to a repository. Reads a few small files.
 */
export function projectIdentity({ cwd, home, files = systemFiles }: Place): ProjectIdentity {
  const from = files.realPath(resolve(cwd))
  const homes = [home, files.realPath(home)]
  for (const root of upwards(from)) {
    if (homes.includes(root)) break
    const kind = files.facts(join(root, '.git'))?.kind
    if (kind === undefined) continue
    const repository = kind === 'file' ? repositoryOf(root, files) : join(root, '.git')
    // Behind a link lies another project.
    return kind === 'link' || repository === undefined ? named(root, root) : named(root, repository)
  }
  const { root = from } = discoverRoot({ cwd: from, home, files })
  return named(root, root)
}

/** The repository of a worktree, if the repository names the worktree, too: a `.git` file comes with any download. */
function repositoryOf(root: string, files: ProjectFiles): string | undefined {
  const own = join(root, '.git')
  const told = /^gitdir: (.+)$/.exec(lineOf(own, files))?.[1]
  if (told === undefined) return undefined
  const folder = files.realPath(resolve(root, told))
  const common = lineOf(join(folder, 'commondir'), files)
  if (common === '') return undefined
  const repository = files.realPath(resolve(folder, common))
  const back = lineOf(join(folder, 'gitdir'), files)
  const isListed = dirname(folder) === join(repository, 'worktrees')
  return isListed && files.realPath(resolve(folder, back)) === own ? repository : undefined
}

/** The first line of a small file; empty where there is none. */
function lineOf(path: string, files: ProjectFiles): string {
  const text = attempt(() => files.read(path, { noLink: true })) ?? ''
  return text.slice(0, LINE_BYTES).split('\n', 1)[0]?.trimEnd() ?? ''
}

function named(root: string, key: string): ProjectIdentity {
  const folder = basename(key) === '.git' ? basename(dirname(key)) : basename(key)
  const plain = folder.normalize('NFC').replace(UNFIT, '-').replace(UNFIT_FIRST, '')
  const name = [...plain].slice(0, NAME_SIGNS).join('') || 'project'
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_DIGITS)
  return { root, home: basename(key) === '.git' ? dirname(key) : key, scope: `${name}-${hash}` }
}

import { basename, delimiter, resolve, sep } from 'node:path'
import type { Environment } from '../../../adapters/project/environment.ts'

/** The last folder that npm, and whoever runs scripts as npm does, puts before the PATH that was there. */
const LAST_ADDED = 'node-gyp-bin'
/** Programs of one project's packages. */
const BIN_OF_PACKAGES = `${sep}node_modules${sep}.bin`

/**
 * The PATH that a shell or a client of the user has: without what npx or npm added for one run, nor any folder of programs of one
 * project's packages.
 */
export function pathOfShell(env: Environment): string {
  const folders = (env.PATH ?? '').split(delimiter)
  const isOfNpm = Object.keys(env).some((name) => name.startsWith('npm_'))
  const added = isOfNpm ? folders.findLastIndex((each) => basename(each) === LAST_ADDED) + 1 : 0
  const isOwn = (folder: string) => !resolve(folder).endsWith(BIN_OF_PACKAGES)
  return folders.slice(added).filter(isOwn).join(delimiter)
}

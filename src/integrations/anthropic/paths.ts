import { posix } from 'node:path'

/** The folder of all files of the memory tool. */
export const ROOT = '/memories'
/** A place above the root that no path can name, so that one that leaves the root is seen to. */
const ABOVE = '/\u0000'
/** Characters of a path; the longest that common file systems take is 4,096 bytes. */
const PATH_MAX = 512
/** Signs that no name of a file may have: NUL, and the one that parts labels of items. */
const FORBIDDEN = ['\u0000', '\u001f']

/** A path as the parts below the root, `.` and `..` resolved; none for the root itself. */
export type Parts = readonly string[]

/** Throws the sentence that a model reads. */
export function refuse(sentence: string): never {
  throw new Error(sentence)
}

/** Returns the parts of a path; throws if it leaves the folder or is no path at all. */
export function partsOf(path: unknown): Parts {
  if (typeof path !== 'string') return refuse(`A path is a text that begins with ${ROOT}.`)
  if (path.length > PATH_MAX) refuse(`Path has ${path.length} characters. Maximum is ${PATH_MAX} characters.`)
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) refuse(`Path must start with ${ROOT}, got: ${path}`)
  if (FORBIDDEN.some((sign) => path.includes(sign)) || !path.isWellFormed())
    refuse('Path has a sign that no name of a file may have.')
  const root = `${ABOVE}${ROOT}`
  const resolved = posix.resolve(posix.join(root, path.slice(ROOT.length + 1)))
  if (resolved !== root && !resolved.startsWith(`${root}/`))
    refuse(`Path ${path} would escape ${ROOT} directory`)
  const below = resolved.slice(root.length + 1)
  return below === '' ? [] : below.split('/')
}

/** The path of some parts, as it is written. */
export function pathOf(parts: Parts): string {
  return [ROOT, ...parts].join('/')
}

/** True if a file or folder is shown in lists. */
export function isShown(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules'
}

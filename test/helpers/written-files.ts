import { createHash } from 'node:crypto'
import type { ProjectFiles } from '../../src/adapters/project/files.ts'

/** A file system of these texts; a path that ends in a slash is an empty folder. Everything belongs to nobody. */
export function writtenFiles(texts: Readonly<Record<string, string>>): ProjectFiles {
  const paths = Object.keys(texts)
  const isFolder = (path: string) => paths.some((each) => each.startsWith(`${path}/`))
  const exists = (path: string) => paths.includes(path) || isFolder(path)
  return {
    exists,
    read: (path) => (Object.hasOwn(texts, path) ? texts[path] : undefined),
    facts: (path) => (exists(path) ? { kind: isFolder(path) ? 'folder' : 'file' } : undefined),
    realPath: (path) => path,
    names: (path) =>
      paths.flatMap((each) =>
        each.startsWith(`${path}/`) ? each.slice(path.length + 1).split('/')[0] || [] : [],
      ),
  }
}

/** A user who trusts every project of these texts as it is. */
export function trustsAll(texts: Readonly<Record<string, string>>) {
  return {
    find: (path: string) => {
      const text = texts[`${path}/config.yaml`]
      const config = text === undefined ? {} : { config: createHash('sha256').update(text).digest('hex') }
      return { path, trustedAt: '2026-01-01T00:00:00.000Z', ...config }
    },
    save: () => undefined,
  }
}

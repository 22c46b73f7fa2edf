import { readFileSync, statSync } from 'node:fs'
import { ElfmemError } from '../../errors.ts'

/** The little of a file system that finding a project needs, so that a test can say what is there. */
export interface ProjectFiles {
  exists(path: string): boolean
  /** The text of a file, or undefined when there is none. */
  read(path: string): string | undefined
}

/** The machine's files. A file that exists but cannot be read is refused, never taken for absent. */
export const systemFiles: ProjectFiles = {
  exists: (path) => statSync(path, { throwIfNoEntry: false }) !== undefined,
  read(path) {
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new ElfmemError('CONFIG_INVALID', `${path} cannot be read: ${(cause as Error).message}`, {
        recovery: 'Make it a readable file, or name another one.',
        details: { file: path },
        cause,
      })
    }
  },
}

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ElfmemError } from '../../errors.ts'

/** How to go on where a file of this package is not where it was installed. */
export const PACKAGE_RECOVERY =
  'Install elfmem again. If a bundler packed it into your program, name elfmem as external: it then stays in node_modules, where its files are.'

/** The bytes of a file that comes with this package; throws CONFIG_INVALID where it is not. */
export function readPackageFile(url: URL): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(url)
  } catch (cause) {
    const name = basename(fileURLToPath(url))
    throw new ElfmemError('CONFIG_INVALID', `elfmem cannot read ${name}, a file of its own.`, {
      recovery: PACKAGE_RECOVERY,
      cause,
    })
  }
}

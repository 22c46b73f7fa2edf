/**
 * Makes the files that are in the package and not in git: the declarations of the library's methods, the reference of the
 * operations and the reference of the settings. `npm ci`, `npm run docs`, `npm run check` and `npm run build` run it.
 *
 *   node scripts/generate.ts
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../src/operations/table.ts'
import { renderConfiguration } from './docs/configuration.ts'
import { renderReference } from './docs/reference.ts'
import { renderMethods } from './methods/methods.ts'

const root = join(import.meta.dirname, '..')
const files = {
  'docs/reference.md': await renderReference(operations),
  'docs/configuration.md': renderConfiguration(),
  'src/operations/methods.generated.ts': renderMethods(operations),
}

for (const [name, text] of Object.entries(files)) {
  const path = join(root, name)
  // A file that stays as it is keeps its time, so the compiler's cache stays good.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}

import { count } from '../../../domain/text/count.ts'
import type { Engine } from '../../engine/engine.ts'
import { type Check, trouble } from './check.ts'

/** Files named in the message. */
const NAMED = 3

/** Warns if git tracks files of the memory: whoever gets the repository gets its words. Nothing where it does not. */
export async function checkTracked({ tracked }: Engine): Promise<Check[]> {
  const files = (await tracked?.()) ?? []
  if (files.length === 0) return []
  const named = `${files.slice(0, NAMED).join(', ')}${files.length > NAMED ? ', …' : ''}`
  return [
    trouble(
      'warn',
      'git',
      `git tracks ${count(files.length, 'file')} of this memory: ${named}.`,
      `Run \`git rm --cached\` on them and \`elfmem init\`, which has git ignore the rest; what was pushed stays in the history.`,
    ),
  ]
}

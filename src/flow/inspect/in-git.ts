import { count, shellWord } from '../../domain/text/text.ts'
import type { Engine } from '../engine/engine.ts'
import { type Check, trouble } from './check.ts'

/** Files named in the message. */
const NAMED = 3

/** Warns if git has files of the memory, or would take them: whoever gets the repository gets its words. */
export async function checkTracked({ tracked, store }: Engine): Promise<Check[]> {
  const found = await tracked?.()
  if (found === undefined) return []
  const [has, takes] = [found.tracked, found.untracked]
  if (has.length > 0) {
    const { problem, remedy } = trackedSaid(has, waysOut(store.location))
    return [trouble('warn', 'git', problem, remedy)]
  }
  if (takes.length === 0) return []
  return [
    trouble(
      'warn',
      'git',
      `git does not ignore this memory, and would take ${count(takes.length, 'file')} of it: ${named(takes)}.`,
      `Run ${waysOut(store.location).slice(1).join(', then ')}.`,
    ),
  ]
}

/** Says that git tracks files of a memory that it is to ignore, and what ends it; undefined if it tracks none. */
export function stillTracked(has: readonly string[], location: string): string | undefined {
  if (has.length === 0) return undefined
  const { problem, remedy } = trackedSaid(has, waysOut(location).slice(0, 1))
  return `${problem} A commit takes its words, whatever is ignored. ${remedy}`
}

function trackedSaid(has: readonly string[], ways: readonly string[]) {
  return {
    problem: `git tracks ${count(has.length, 'file')} of this memory: ${named(has)}.`,
    remedy: `Run ${ways.join(', then ')}; what was pushed stays in the history.`,
  }
}

function named(files: readonly string[]): string {
  return `${files.slice(0, NAMED).join(', ')}${files.length > NAMED ? ', …' : ''}`
}

/** The commands that take the files out of git and leave them in place, and keep git from taking them again. */
function waysOut(location: string): readonly string[] {
  const cut = Math.max(location.lastIndexOf('/'), location.lastIndexOf('\\'))
  const [folder, name] = [location.slice(0, Math.max(cut, 1)), location.slice(cut + 1)]
  const remove = `\`git -C ${shellWord(folder)} rm -r --cached --ignore-unmatch`
  if (name === 'memory.db' && folder.endsWith('.elfmem'))
    return [
      `${remove} .\``,
      `\`elfmem trust ${shellWord(folder.slice(0, -8) || '/')}\`, which has git ignore all but the config`,
    ]
  const pattern = `${name}*`
  return [
    `${remove} ${shellWord(pattern)}\``,
    `\`printf '%s\\n' ${shellWord(`/${pattern}`)} >> ${shellWord(`${folder}/.gitignore`)}\``,
  ]
}

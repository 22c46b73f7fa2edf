import { dirname } from 'node:path'
import { shown } from '../../../domain/safety/visible.ts'
import { shellWord } from '../../../domain/text/text.ts'
import type { Standing } from './standing.ts'

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

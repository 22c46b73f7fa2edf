import { existsSync } from 'node:fs'
import { count, harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import type { KeptFile } from './files/manifest.ts'
import type { Ground } from './paths.ts'
import { contradicting } from './run-init.ts'

/** The files of a request, and files of other projects that it leaves alone. */
export interface Reach {
  readonly files: readonly KeptFile[]
  readonly others: readonly KeptFile[]
}

/**
 * The files of this project and of the user, unless all projects, only projects or only the user's are asked for.
 *
 * @throws `INVALID_INPUT` for flags that contradict each other
 */
export function reachOf(kept: readonly KeptFile[], { values }: ParsedFlags, ground: Ground): Reach {
  const { project: isProject, user: isUser, 'all-projects': isAll } = values
  if (isUser === true && (isProject === true || isAll === true))
    throw contradicting('--user', isAll === true ? '--all-projects' : '--project')
  const isHere = ({ project }: KeptFile) => isAll === true || project === ground.project
  return {
    files: kept.filter((file) =>
      file.project === undefined ? isProject !== true : isUser !== true && isHere(file),
    ),
    others: kept.filter((file) => file.project !== undefined && !isHere(file)),
  }
}

/** Sentences about whose files are meant, and about projects that are no longer where they were. */
export function reachText(reach: Reach, { values }: ParsedFlags, ground: Ground): readonly string[] {
  const { project: isProject, user: isUser, 'all-projects': isAll } = values
  const here = ground.project === undefined ? [] : [`the project ${ground.project}`]
  const places = [
    ...(isUser === true ? [] : isAll === true ? ['all projects'] : here),
    ...(isProject === true ? [] : ['your own files']),
  ]
  const others = isUser === true ? [] : reach.others
  const rest = `${count(others.length, 'file')} of other projects ${others.length === 1 ? 'stays' : 'stay'} as before;`
  return [
    `This is about ${places.join(' and ') || 'no project'}.`,
    ...(others.length === 0 ? [] : [`${rest} --all-projects takes out of them, too.`]),
    ...goneText([...reach.files, ...others], isAll === true),
  ].map((each) => harmlessLine(each))
}

function goneText(files: readonly KeptFile[], isForgotten: boolean): readonly string[] {
  const folders = files.flatMap(({ project }) =>
    project === undefined || existsSync(project) ? [] : project,
  )
  return [...new Set(folders)].map((folder) => {
    const records = isForgotten ? 'the record is forgotten' : 'the record stays until --all-projects'
    return `The project ${folder} is gone: ${records}. If it was moved, take elfmem out of its files there by hand.`
  })
}

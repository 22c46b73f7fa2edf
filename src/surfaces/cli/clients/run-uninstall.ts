import { existsSync } from 'node:fs'
import { ElfmemError } from '../../../errors.ts'
import { count, harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { type Page, pageFor, wrapped } from '../screen/style.ts'
import type { KeptFile } from './files/manifest.ts'
import { groundOf } from './ground.ts'
import type { Ground } from './paths.ts'
import { carryOut, diffText, type Shown } from './plans/carry-out.ts'
import { planUninstall } from './plans/plan-uninstall.ts'
import { clientsNamed } from './records/choose.ts'
import { contradicting } from './run-init.ts'

/** Takes out of clients' files what `init --client` put there. The memory stays. */
export async function runUninstall(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground, uid, manifest } = groundOf(io)
  const isMeant = meant(values.client)
  const kept = manifest.list().filter(({ entries }) => entries.some(({ clients }) => clients.some(isMeant)))
  const reach = reachOf(kept, flags, ground)
  const page = pageFor(io.stdout, io)
  const { plan, shown, isDone, tell } = await carryOut(
    () => planUninstall(reach.files, { manifest, uid, isMeant }),
    {
      flags,
      io,
      world: { manifest, uid },
      pageOf: ({ changes, refusals }, diffs) =>
        [
          ...reachText(reach, flags, ground).map((line) => `${wrapped(line, page, 0)}\n`),
          diffText(diffs, page),
          changes.length + refusals.length === 0
            ? 'No file of a client has anything of elfmem in it that it put there.\n'
            : '',
        ].join(''),
    },
  )
  const { refusals: left } = plan
  const others = reach.others.map(({ path }) => path)
  if (global.json) io.stdout.write(`${jsonText({ changes: shown, left, others, done: isDone })}\n`)
  else tell(endText(shown, isDone, page))
  return left.length > 0 ? EXIT_REFUSED : EXIT_OK
}

function endText(shown: readonly Shown[], isDone: boolean, { style }: Page): string {
  if (!isDone) return shown.length > 0 ? 'Nothing was changed.\n' : ''
  const lines = shown.map(({ path }) => `${style.good('took out')} ${harmlessLine(path)}`)
  return [...lines, 'The memory stays where it is.', ''].join('\n')
}

function meant(given: ParsedFlags['values'][string]): (client: string) => boolean {
  if (given === undefined)
    throw new ElfmemError('INVALID_INPUT', 'elfmem uninstall needs a client.', {
      recovery: 'Run `elfmem uninstall --client all`, or name one in the place of all.',
    })
  const clients = clientsNamed(given)?.map(({ name }) => name)
  return (client) => clients?.includes(client) ?? true
}

/** The files of a request, and files of other projects that it leaves alone. */
interface Reach {
  readonly files: readonly KeptFile[]
  readonly others: readonly KeptFile[]
}

/**
 * The files of this project and of the user, unless all projects, only projects or only the user's are asked for.
 *
 * @throws `INVALID_INPUT` for flags that contradict each other
 */
function reachOf(kept: readonly KeptFile[], { values }: ParsedFlags, ground: Ground): Reach {
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
function reachText(reach: Reach, { values }: ParsedFlags, ground: Ground): readonly string[] {
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

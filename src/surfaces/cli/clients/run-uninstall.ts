import { existsSync } from 'node:fs'
import { ElfmemError } from '../../../errors.ts'
import { count, harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { type Page, pageFor, wrapped } from '../screen/style.ts'
import { EDITORS } from './client.ts'
import { ABSENT, type FileState, readGuarded } from './files/guarded-file.ts'
import type { KeptEntry, KeptFile, Manifest } from './files/manifest.ts'
import { groundOf } from './ground.ts'
import type { Ground } from './paths.ts'
import { carryOut, diffText, type Shown } from './plans/carry-out.ts'
import { type FilePlan, type Plan, planEach } from './plans/plan.ts'
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

/** Options that say which entries are chosen, and how they are read. */
interface Choosing {
  readonly manifest: Manifest
  readonly uid: number | undefined
  /** True for a client whose entries go. */
  readonly isMeant: (client: string) => boolean
}

/** Plans to take entries out of files; refuses what stays because somebody changed it. Reads each file once, and writes nothing. */
function planUninstall(files: readonly KeptFile[], choosing: Choosing): Plan {
  return planEach(files, (kept) => planFile(kept, choosing))
}

function planFile(kept: KeptFile, { manifest, uid, isMeant }: Choosing): FilePlan {
  const { path, project } = kept
  const place = project === undefined ? {} : { project }
  // An entry that another client needs, too, stays for that one.
  const staying = kept.entries
    .map((entry) => ({ ...entry, clients: entry.clients.filter((client) => !isMeant(client)) }))
    .filter(({ clients }) => clients.length > 0)
  const going = kept.entries.filter(({ clients }) => clients.every(isMeant))
  const state = readGuarded(path, { ...place, uid, mayBeGone: true })
  if (staying.length === 0 && kept.after === state.sha256 && kept.mixed !== true) {
    const first = firstOf(kept, manifest)
    // A file that its owner has linked since is the owner's, and the link would lead nowhere.
    const mayGo = first?.text !== undefined || !state.isLink
    if (first !== undefined && mayGo)
      return { change: { path, ...place, state, after: first.text, entries: [] } }
  }
  return withoutEntries(kept, state, { going, staying }, manifest)
}

/** The text that a file had first, undefined in it if there was no file; nothing if its backup is lost. */
function firstOf(kept: KeptFile, manifest: Manifest): { readonly text: string | undefined } | undefined {
  if (kept.before === ABSENT) return { text: undefined }
  const bytes = manifest.restored(kept)
  return bytes && { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) }
}

function withoutEntries(
  kept: KeptFile,
  state: FileState,
  { going, staying }: Readonly<Record<'going' | 'staying', readonly KeptEntry[]>>,
  manifest: Manifest,
): FilePlan {
  const { path, project, before } = kept
  const { text, changed, displaced } = takenOut(state.text, going)
  const entries = [...staying, ...changed]
  const isOver =
    entries.length === 0 && before === ABSENT && !state.isLink && text.replace('\uFEFF', '').trim() === ''
  const after = isOver ? undefined : text
  const reasons = [
    ...new Set(changed.map(({ part }) => CHANGED[part])),
    ...displaced.map(
      (each) =>
        `has no place for the entry that --force replaced; it is kept in ${manifest.keptAt(path, each)}`,
    ),
  ]
  const left = reasons.length === 0 ? {} : { refusal: { path, reason: reasons.join(', and '), snippets: [] } }
  // Files that only stay changed are nothing to do.
  if (text === state.text && changed.length > 0 && changed.length === going.length) return left
  const place = project === undefined ? {} : { project }
  return { ...left, change: { path, ...place, state, after, entries, displaced } }
}

/** The reasons why an entry stays. */
const CHANGED: Readonly<Record<KeptEntry['part'], string>> = {
  server: 'has an entry elfmem that was changed since',
  rules: 'has lines of elfmem that were changed since',
  hooks: 'has hooks of elfmem that were changed since',
}

function takenOut(before: string, going: readonly KeptEntry[]) {
  let text = before
  const [rest, displaced]: [KeptEntry[], string[]] = [[], []]
  for (const entry of going.toReversed()) {
    const taken = EDITORS[entry.format].takeOut(text, entry.trace)
    if (typeof taken === 'string') {
      rest.push(entry)
      continue
    }
    text = taken.text
    if (taken.displaced !== undefined) displaced.push(taken.displaced)
  }
  // Whether one was changed shows when the others of its list are out.
  const isChanged = ({ format, trace }: KeptEntry) => EDITORS[format].takeOut(text, trace) === 'other'
  const changed = rest.filter(isChanged)
  const gone = rest.filter((entry) => !changed.includes(entry))
  return {
    text,
    changed,
    displaced: [...displaced, ...gone.flatMap(({ trace }) => trace.replaced?.text ?? [])],
  }
}

import { count, shellWord } from '../block/text.ts'
import type { Engine } from '../engine/engine.ts'
import type { FileFindings, Repairs } from '../store/maintenance.ts'
import { type Check, type CheckRow, checksOf, fail, ok, skipped, warn } from './checks.ts'

/** Bytes of a write-ahead log that was not emptied for long: a reader never lets go, or a process was killed. */
const LOG_BYTES_BEARABLE = 64 << 20
/** Files named in a message. */
const FILES_NAMED = 3

const FIX = 'Call doctor() with fix.'

/** What lies in a memory's file and beside it. */
interface FileFacts extends FileFindings {
  /** Files of the memory that git has, and those that it would take. */
  readonly git: { readonly tracked: readonly string[]; readonly untracked: readonly string[] } | undefined
}

const CHECKS_OF_FILE: readonly CheckRow<FileFacts>[] = [
  {
    name: 'file',
    title: 'The file is whole',
    judge: ({ damage }) =>
      damage.length === 0
        ? ok('It is whole.')
        : fail(
            `It is damaged: ${damage.join('; ')}`,
            'Move the file away; the owner then brings the newest backup back with restoreBackup, which makes a new one.',
          ),
  },
  {
    name: 'orphans',
    title: 'Every row has what it belongs to',
    judge: ({ orphans }) =>
      Object.keys(orphans).length === 0
        ? ok('Every row has what it belongs to.')
        : fail(`Rows without what they belong to: ${tablesSaid(orphans)}.`, FIX),
  },
  {
    name: 'values',
    title: 'Every value is one that elfmem writes',
    judge: ({ wrongValues }) =>
      Object.keys(wrongValues).length === 0
        ? ok('Every value is one that elfmem writes.')
        : fail(
            `Rows with values that no elfmem writes, such as dates that are none: ${tablesSaid(wrongValues)}.`,
            'Restore a backup from before.',
          ),
  },
  {
    name: 'log',
    title: 'The write-ahead log is small',
    judge: ({ logBytes }) =>
      logBytes <= LOG_BYTES_BEARABLE
        ? ok('The write-ahead log is small.')
        : warn(
            `The write-ahead log has ${Math.round(logBytes / (1 << 20))} MB.`,
            `${FIX} A process that reads for long keeps it from emptying.`,
          ),
  },
  {
    name: 'access',
    title: 'Only its owner reads the file',
    judge: ({ exposed }) =>
      exposed.length === 0
        ? ok('Only its owner reads and writes it.')
        : warn(
            `Other users may read or change ${exposed.map(({ path }) => path).join(', ')}.`,
            exposed.every(({ isFolder }) => isFolder)
              ? 'Take the right to write from others, or move the memory to a folder of its own.'
              : FIX,
          ),
  },
  {
    name: 'git',
    title: 'No file of the memory is in git',
    judge: ({ git }, { store }) => {
      if (git === undefined || (git.tracked.length === 0 && git.untracked.length === 0)) return undefined
      if (git.tracked.length > 0) return warn(trackedSaid(git.tracked), outOfGit(store.location))
      return warn(
        `git does not ignore this memory, and would take ${filesSaid(git.untracked)}.`,
        'Have git ignore these files.',
      )
    },
  },
]

/** Checks the memory's file and what lies beside it; one `skipped` check where there is no file to see. */
export async function checkFiles(
  engine: Engine,
  { full, signal }: { readonly full: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Check[]> {
  const { files } = engine.store
  const only = (message: string) => [{ name: 'file', title: 'The file is whole', ...skipped(message) }]
  if (engine.scope !== undefined) return only('Looked at from the whole memory, not from one scope.')
  if (files === undefined) return only('This memory is in no file.')
  const found = await files.look({ full, signal })
  const due = repairsDue(found)
  const facts = { ...found, git: await engine.tracked?.() }
  return checksOf(CHECKS_OF_FILE, facts, engine).map((check) =>
    due.has(check.name) ? { ...check, fixable: 'fix' } : check,
  )
}

/** The names of the checks whose findings `fix` repairs; none of a damaged file. */
export function repairsDue(found: FileFindings): ReadonlySet<string> {
  if (found.damage.length > 0) return new Set()
  const due = {
    orphans: Object.keys(found.orphans).length > 0,
    log: found.logBytes > LOG_BYTES_BEARABLE,
    access: found.exposed.some(({ isFolder }) => !isFolder),
  }
  return new Set(Object.entries(due).flatMap(([name, isDue]) => (isDue ? [name] : [])))
}

/** Says in words which repairs were made; empty when there were none. */
export function repairWords({ orphansRemoved, modesTightened }: Repairs): string {
  return [
    orphansRemoved > 0 && `rows without what they belong to removed: ${orphansRemoved}`,
    modesTightened > 0 && `files closed to others: ${modesTightened}`,
  ]
    .filter(Boolean)
    .join(', ')
}

/** Says that git tracks files of a memory that it is to ignore, and what ends it; undefined if it tracks none. */
export function stillTracked(tracked: readonly string[], location: string): string | undefined {
  if (tracked.length === 0) return undefined
  return `${trackedSaid(tracked)} A commit takes its words, whatever is ignored. ${outOfGit(location)}`
}

function trackedSaid(tracked: readonly string[]): string {
  return `git tracks ${filesSaid(tracked)} of this memory.`
}

function filesSaid(files: readonly string[]): string {
  const named = files.slice(0, FILES_NAMED).join(', ')
  return `${count(files.length, 'file')} (${named}${files.length > FILES_NAMED ? ', …' : ''})`
}

/** Names the command that takes the files out of git and leaves them in place. */
function outOfGit(location: string): string {
  const cut = Math.max(location.lastIndexOf('/'), location.lastIndexOf('\\'))
  const [folder, name] = [location.slice(0, Math.max(cut, 1)), location.slice(cut + 1)]
  const remove = `git -C ${shellWord(folder)} rm -r --cached --ignore-unmatch ${shellWord(`${name}*`)}`
  return `Run \`${remove}\` and have git ignore them; what was pushed stays in the history.`
}

function tablesSaid(rows: Readonly<Record<string, number>>): string {
  return Object.entries(rows)
    .map(([table, total]) => `${total} in ${table}`)
    .join(', ')
}

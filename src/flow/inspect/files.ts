import type { FileFindings, Repairs } from '../../ports/store/maintenance.ts'
import type { Engine } from '../engine/engine.ts'
import { hasUnfinishedErasing, UNFINISHED } from '../erase/erase.ts'
import { type Check, type CheckName, ok, skipped, trouble } from './check.ts'
import { checkTracked } from './in-git.ts'

/** A write-ahead log above it was not emptied for long: a reader never lets go, or a process was killed. */
const LOG_BYTES_BEARABLE = 64 << 20
/** Clocks of machines differ by so much. */
const CLOCK_SLACK_MS = 5 * 60_000

/** Checks the memory's file and what lies beside it; one `skipped` check where there is no file to see. */
export async function checkFiles(
  engine: Engine,
  { full, signal }: { readonly full: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Check[]> {
  const { files } = engine.store
  if (engine.scope !== undefined)
    return [skipped('file', 'Looked at from the whole memory, not from one scope.')]
  if (files === undefined) return [skipped('file', 'This memory is in no file.')]
  const found = await files.look({ full, signal })
  const due = repairsDue(engine, found)
  const checks = [
    checkDamage(found, full),
    checkOrphans(found),
    checkValues(found),
    checkSums(found),
    checkLengths(found),
    checkClock(found, engine.clock.now()),
    checkLog(found),
    checkAccess(found),
    checkPacked(due),
    ...(await checkTracked(engine)),
  ]
  return checks.map((check) => (due.has(check.name) ? { ...check, fixable: 'fix' } : check))
}

/** The checks whose findings `fix` repairs; it asks this first. None of a damaged file. */
export function repairsDue(engine: Engine, found: FileFindings): ReadonlySet<CheckName> {
  const due: readonly (readonly [CheckName, boolean])[] = [
    ['orphans', Object.keys(found.orphans).length > 0],
    ['sums', found.wrongSums > 0],
    ['log', found.logBytes > LOG_BYTES_BEARABLE],
    ['access', found.exposed.some(({ isFolder }) => !isFolder)],
    ['packed', isPackedDamaged(engine, found)],
  ]
  return new Set(found.damage.length > 0 ? [] : due.flatMap(([name, isDue]) => (isDue ? [name] : [])))
}

/** True if the packed index lies there and cannot be read. */
function isPackedDamaged(
  { keptIndex }: Engine,
  { packedIndexes }: Pick<FileFindings, 'packedIndexes'>,
): boolean {
  if (keptIndex === undefined || packedIndexes.length === 0) return false
  const packed = keptIndex.cache.open()
  packed?.close()
  return packed === undefined
}

/** Returns the repairs of `fix` as a check of its own. */
export function repairCheck(repairs: Repairs): Check {
  const did = repairWords(repairs)
  return ok('fix', did === '' ? 'There was nothing to repair.' : `Repaired: ${did}.`)
}

/** The repairs in words; empty when there were none. */
export function repairWords({
  orphansRemoved,
  sumsRefreshed,
  modesTightened,
  packedRemoved,
}: Repairs): string {
  return [
    orphansRemoved > 0 && `rows without what they belong to removed: ${orphansRemoved}`,
    sumsRefreshed > 0 && `sums of edges made again: ${sumsRefreshed}`,
    modesTightened > 0 && `files closed to others: ${modesTightened}`,
    packedRemoved > 0 && `packed indexes removed: ${packedRemoved}`,
  ]
    .filter(Boolean)
    .join(', ')
}

const FIX = 'Call doctor() with fix.'

function checkDamage({ damage }: FileFindings, full: boolean): Check {
  if (damage.length === 0) return ok('file', full ? 'It is whole, indexes included.' : 'It is whole.')
  return trouble(
    'fail',
    'file',
    `It is damaged: ${damage.join('; ')}`,
    'Move the file away; the owner then brings the newest backup back with restoreBackup, which makes a new one.',
  )
}

function checkOrphans({ orphans }: FileFindings): Check {
  const tables = Object.entries(orphans)
  if (tables.length === 0) return ok('orphans', 'Every row has what it belongs to.')
  const told = tables.map(([table, total]) => `${total} in ${table}`).join(', ')
  return trouble('fail', 'orphans', `Rows without what they belong to: ${told}.`, FIX)
}

function checkValues({ wrongValues }: FileFindings): Check {
  const tables = Object.entries(wrongValues)
  if (tables.length === 0) return ok('values', 'Every value is one that elfmem writes.')
  const told = tables.map(([table, total]) => `${total} in ${table}`).join(', ')
  return trouble(
    'fail',
    'values',
    `Rows with values that no elfmem writes, such as dates that are none: ${told}.`,
    'Restore a backup from before.',
  )
}

function checkSums({ wrongSums }: FileFindings): Check {
  if (wrongSums === 0) return ok('sums', 'Strengths and counts agree with the edges.')
  return trouble('fail', 'sums', `Strengths or counts that differ from the edges: ${wrongSums}.`, FIX)
}

function checkLengths({ wrongVectors }: FileFindings): Check {
  if (wrongVectors === 0) return ok('lengths', 'Vectors have the length of their model.')
  return trouble(
    'fail',
    'lengths',
    `Vectors of another length than their model's: ${wrongVectors}.`,
    'Restore a backup, or change all vectors with reembed().',
  )
}

function checkClock({ newestAt, fallingHours }: FileFindings, now: number): Check {
  if (fallingHours > 0)
    return trouble(
      'fail',
      'clock',
      `Entries of the log whose hours fall: ${fallingHours}.`,
      'Restore a backup from before; blocks may fade too early or too late until then.',
    )
  if (newestAt !== undefined && Date.parse(newestAt) > now + CLOCK_SLACK_MS)
    return trouble(
      'warn',
      'clock',
      `The newest entry of the log is of ${newestAt}, which is to come.`,
      'Set the clock of this machine; no time passes for the memory until then.',
    )
  return ok('clock', 'The time of the log only goes forward.')
}

function checkLog({ logBytes }: FileFindings): Check {
  if (logBytes <= LOG_BYTES_BEARABLE) return ok('log', 'The write-ahead log is small.')
  const megabytes = Math.round(logBytes / (1 << 20))
  return trouble(
    'warn',
    'log',
    `The write-ahead log has ${megabytes} MB.`,
    `${FIX} A process that reads for long keeps it from emptying.`,
  )
}

function checkAccess({ exposed }: FileFindings): Check {
  if (exposed.length === 0) return ok('access', 'Only its owner reads and writes it.')
  const isFolderAlone = exposed.every(({ isFolder }) => isFolder)
  return trouble(
    'warn',
    'access',
    `Other users may read or change ${exposed.map(({ path }) => path).join(', ')}.`,
    isFolderAlone ? 'Take the right to write from others, or move the memory to a folder of its own.' : FIX,
  )
}

function checkPacked(due: ReadonlySet<CheckName>): Check {
  if (!due.has('packed')) return ok('packed', 'The packed index can be read, or there is none.')
  return trouble('warn', 'packed', 'The packed index cannot be read, so the rows are.', FIX)
}

/** One check when an erasing did not end, none otherwise. */
export async function checkErasing({ store }: Pick<Engine, 'store'>): Promise<Check[]> {
  const isUnfinished = await store.read(hasUnfinishedErasing)
  if (!isUnfinished) return []
  const said = `${UNFINISHED.reason.charAt(0).toUpperCase()}${UNFINISHED.reason.slice(1)}.`
  return [trouble('warn', 'erasing', said, UNFINISHED.suggestion)]
}

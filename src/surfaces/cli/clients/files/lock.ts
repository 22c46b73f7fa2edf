import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeUserFolder, userUnwritable } from '../../../../adapters/project/user-records.ts'
import { attempt, ElfmemError } from '../../../../errors.ts'

/** The most milliseconds that one process waits for another; writing takes milliseconds. */
const WAIT_MS = 10_000
const PAUSE_MS = 20

/**
 * Runs what changes clients' files while no other process of this user does. A lock whose process ended is taken over.
 *
 * @throws `CONFLICT` if the other one does not end within ten seconds
 */
export async function alone<T>(home: string, run: () => T): Promise<T> {
  const folder = join(home, '.elfmem', 'clients')
  const lock = join(folder, 'lock')
  makeUserFolder(folder)
  const own = `${process.pid} ${randomBytes(8).toString('hex')}`
  const until = Date.now() + WAIT_MS
  while (!taken(lock, own)) {
    const holder = attempt(() => readFileSync(lock, 'utf8')) ?? ''
    if (isLeft(holder)) giveUp(lock, holder)
    else if (Date.now() > until)
      throw new ElfmemError('CONFLICT', 'Another elfmem is changing the files of clients.', {
        recovery: `Run this again; if no other one runs, remove ${lock}.`,
      })
    else await sleep(PAUSE_MS)
  }
  try {
    return run()
  } finally {
    if (attempt(() => readFileSync(lock, 'utf8')) === own) rmSync(lock, { force: true })
  }
}

function taken(lock: string, own: string): boolean {
  try {
    writeFileSync(lock, own, { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw userUnwritable(lock, cause)
  }
}

/** True if the process that has the lock is gone. */
function isLeft(holder: string): boolean {
  const pid = Number.parseInt(holder, 10)
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * Moves away a lock that was left. Only one of several processes succeeds; a lock that another took over meanwhile is put back.
 */
function giveUp(lock: string, holder: string): void {
  const aside = `${lock}.${randomBytes(6).toString('hex')}`
  attempt(() => renameSync(lock, aside))
  if (attempt(() => readFileSync(aside, 'utf8')) !== holder) attempt(() => linkSync(aside, lock))
  rmSync(aside, { force: true })
}

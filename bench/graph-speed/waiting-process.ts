/**
 * A process of its own that wants to write again and again while others do: how long does it wait for the lock?
 * Asks once a millisecond and prints its waits in milliseconds, as JSON, when its standard input ends.
 */
import { DatabaseSync } from 'node:sqlite'

const PAUSE_MS = 1
const database = new DatabaseSync(process.argv[2] as string)
database.exec('PRAGMA busy_timeout = 0')
const waits: number[] = []
let since: number | undefined
let timer = setTimeout(attempt, 0)
console.log('ready')

function attempt(): void {
  const now = performance.now()
  try {
    database.exec('BEGIN IMMEDIATE')
    database.exec('ROLLBACK')
    waits.push(since === undefined ? 0 : now - since)
    since = undefined
  } catch {
    since ??= now
  }
  timer = setTimeout(attempt, PAUSE_MS)
}

process.stdin.resume()
process.stdin.on('end', () => {
  clearTimeout(timer)
  console.log(JSON.stringify(waits))
  database.close()
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/memory.ts'
import { problemsIn } from './whole.ts'

const WRITERS = 4
const WRITES = 1_000
const child = join(import.meta.dirname, 'children/write-on.ts')

test(`${WRITERS} processes that write ${WRITES} blocks each at once lose none, and no lock error reaches any`, async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const started = performance.now()
  const writers = Array.from({ length: WRITERS }, (_, i) =>
    spawn(process.execPath, ['--no-warnings', child, path, `writer${i}`, String(WRITES)]),
  )
  const finished = writers.map(async (writer) => {
    let said = ''
    for (const stream of [writer.stdout, writer.stderr])
      stream.on('data', (chunk) => {
        said += String(chunk)
      })
    const [code] = await once(writer, 'close')
    return { code, said }
  })
  for (const writer of writers) writer.stdin.write('go\n')
  const ends = await Promise.all(finished)
  expect(ends).toEqual(writers.map(() => ({ code: 0, said: `${WRITES} acknowledged\n` })))
  const seconds = (performance.now() - started) / 1000
  const raw = new DatabaseSync(path)
  const found = raw
    .prepare(`SELECT substr(content, 1, 7) AS writer, count(*) AS total FROM blocks GROUP BY 1`)
    .all()
  raw.close()
  expect(found.map(({ total }) => total)).toEqual(writers.map(() => WRITES))
  expect(problemsIn(path)).toEqual([])
  process.stdout.write(
    `${WRITERS} processes, ${WRITERS * WRITES} durable writes in ${seconds.toFixed(1)} s, 0 lock errors\n`,
  )
}, 900_000)

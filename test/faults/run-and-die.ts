import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

/**
 * Runs a script that says `begins` and `done` in a process of its own, and kills it so long after it began; what it said,
 * and how long it took from one to the other.
 */
export async function runAndDie(child: string, args: readonly string[], milliseconds: number) {
  const running = spawn(process.execPath, ['--no-warnings', child, ...args])
  const said: string[] = []
  let complaint = ''
  running.stderr.on('data', (chunk) => {
    complaint += String(chunk)
  })
  let [begun, over] = [0, 0]
  let timer: NodeJS.Timeout | undefined
  const reader = createInterface({ input: running.stdout })
  reader.on('line', (line) => {
    said.push(line)
    if (line === 'done') over = performance.now()
    if (line !== 'begins') return
    begun = performance.now()
    if (Number.isFinite(milliseconds)) timer = setTimeout(() => running.kill('SIGKILL'), milliseconds)
  })
  await Promise.all([once(running, 'exit'), once(reader, 'close')])
  clearTimeout(timer)
  expect(complaint).toBe('')
  return { said, took: over - begun }
}

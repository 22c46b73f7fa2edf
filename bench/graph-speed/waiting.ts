import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { quantile } from '../lib/statistics.ts'

/** How long another process waited for the lock, in milliseconds. */
export interface Waits {
  readonly longest: number
  readonly p95: number
  readonly asked: number
}

const SCRIPT = fileURLToPath(new URL('./waiting-process.ts', import.meta.url))

/** Does the work while another process asks for the write lock all the time. */
export async function whileOthersWait<T>(path: string, work: () => Promise<T>): Promise<[T, Waits]> {
  const child = spawn(process.execPath, [SCRIPT, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await once(child.stdout, 'data')
  try {
    const result = await work()
    const closed = once(child, 'close')
    child.stdin.end()
    await closed
    const waits = JSON.parse(printed.split('\n')[1] ?? '[]') as number[]
    return [result, { longest: Math.max(0, ...waits), p95: quantile(waits, 0.95), asked: waits.length }]
  } finally {
    child.kill()
  }
}

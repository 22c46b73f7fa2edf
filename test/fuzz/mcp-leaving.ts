import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect } from 'vitest'
import { problemsIn } from '../faults/whole.ts'
import { type Bound, slower, tryFor } from './bound.ts'
import { frame, type Said, type Served, serveInitialised } from './served.ts'
import { bytes, bytesOf, type Written } from './written.ts'

/** How a client goes, and after how many acknowledgements. */
interface Leaving {
  readonly texts: number
  readonly awaited: number
  readonly noise: Written
  readonly how: 'end' | 'half a line' | 'all closed' | 'deaf' | 'SIGTERM' | 'SIGINT' | 'SIGKILL'
}

const leaving: fc.Arbitrary<Leaving> = fc.record({
  texts: fc.integer({ min: 1, max: 8 }),
  awaited: fc.nat(8),
  noise: bytes,
  how: fc.constantFrom('end', 'half a line', 'all closed', 'deaf', 'SIGTERM', 'SIGINT', 'SIGKILL'),
})

/** However a client leaves, what was acknowledged is there and the server ends. */
export async function tryLeaving(bound: Bound, home: string): Promise<void> {
  let cases = 0
  await tryFor(
    slower(bound, 14),
    leaving,
    async (how) => {
      cases += 1
      const here = join(home, `left-${cases}`)
      mkdirSync(here)
      try {
        await expectKept(here, how)
      } finally {
        rmSync(here, { recursive: true, force: true })
      }
    },
    { round: 2 },
  )
}

async function expectKept(here: string, { texts, awaited, noise, how }: Leaving): Promise<void> {
  const path = join(here, 'memory.db')
  const server = await serveInitialised(here, path)
  try {
    if (noise.kind === 'bytes') server.send(bytesOf(noise))
    const contents = Array.from({ length: texts }, (_, at) => `Statement number ${at} of whoever leaves`)
    for (const content of contents)
      server.send(
        frame({
          jsonrpc: '2.0',
          id: content,
          method: 'tools/call',
          params: { name: 'elfmem_remember', arguments: { content } },
        }),
      )
    await server.answers(contents.slice(0, awaited))
    leave(server, how)
    const ended = await server.ended
    // A signal that comes while a statement runs ends the server by itself.
    expect(how.startsWith('SIG') ? [how, how === 'SIGKILL' ? how : 0] : [0]).toContain(ended)
    const told = server.lines.map((line) => (JSON.parse(line) as Said).id)
    const acknowledged = contents.filter((content) => told.includes(content))
    expect(acknowledged.length).toBeGreaterThanOrEqual(Math.min(awaited, texts))
    expect(acknowledged.filter((content) => !keptIn(path).has(content))).toEqual([])
    if (existsSync(path)) expect(problemsIn(path)).toEqual([])
  } finally {
    server.child.kill('SIGKILL')
  }
}

function leave({ child, send }: Served, how: Leaving['how']): void {
  if (how === 'SIGTERM' || how === 'SIGINT' || how === 'SIGKILL') child.kill(how)
  else if (how === 'half a line') child.stdin?.end('{"jsonrpc":"2.0","id":"half","met')
  else if (how === 'end') child.stdin?.end()
  else {
    child.stdout?.destroy()
    if (how === 'all closed') child.stdin?.destroy()
    // Only who is answered finds out that nobody listens.
    else send(frame({ jsonrpc: '2.0', id: 'deaf', method: 'tools/list' }))
  }
}

function keptIn(path: string): ReadonlySet<string> {
  if (!existsSync(path)) return new Set()
  const database = new DatabaseSync(path)
  try {
    return new Set(
      database
        .prepare('SELECT content FROM blocks')
        .all()
        .map(({ content }) => String(content)),
    )
  } finally {
    database.close()
  }
}
